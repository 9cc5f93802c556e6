//! Delegation of all queries.

use accounts::{
    AccountQueriesWrapper, AuditQueriesWrapper, CredentialQueriesWrapper, InvitationQueriesWrapper,
    SessionQueriesWrapper, StatusQueriesWrapper,
};
use alert_intake::store::{AlertQueriesWrapper, IncidentQueriesWrapper, SilenceQueriesWrapper};
use deprecations::UseQueriesWrapper;
use error_tracking::store::{ErrorQueriesWrapper, MonitorQueriesWrapper, SettingsQueriesWrapper};
use events::EventQueriesWrapper;
use notifications::store::{NotificationQueriesWrapper, OnCallQueriesWrapper};
use oauth_provider::{ApplicationQueriesWrapper, GrantQueriesWrapper, SigningKeyQueriesWrapper};
use pipelines::store::{
    DeploymentQueriesWrapper, EnvironmentQueriesWrapper, JobQueriesWrapper, PipelineQueriesWrapper,
    RunnerQueriesWrapper,
};
use projects::{
    DeletionQueriesWrapper, GroupQueriesWrapper, ImageQueriesWrapper, IssueQueriesWrapper,
    LabelContent, MemberQueriesWrapper, MilestoneContent, NoteQueriesWrapper,
    ProjectQueriesWrapper, SnippetQueriesWrapper, SpamQueriesWrapper,
};
use records::RecordQueriesWrapper;

use super::store::MutantTx;

macro_rules! handed_on {
    ($($wrapper:path;)+) => { $( impl $wrapper for MutantTx<'_> {} )+ };
}

handed_on! {
    AccountQueriesWrapper;
    CredentialQueriesWrapper;
    SessionQueriesWrapper;
    AuditQueriesWrapper;
    InvitationQueriesWrapper;
    StatusQueriesWrapper;
    ProjectQueriesWrapper;
    DeletionQueriesWrapper;
    GroupQueriesWrapper;
    MemberQueriesWrapper;
    RecordQueriesWrapper<LabelContent>;
    RecordQueriesWrapper<MilestoneContent>;
    IssueQueriesWrapper;
    NoteQueriesWrapper;
    SnippetQueriesWrapper;
    SpamQueriesWrapper;
    ImageQueriesWrapper;
    AlertQueriesWrapper;
    IncidentQueriesWrapper;
    SilenceQueriesWrapper;
    EventQueriesWrapper;
    ApplicationQueriesWrapper;
    GrantQueriesWrapper;
    SigningKeyQueriesWrapper;
    SettingsQueriesWrapper;
    ErrorQueriesWrapper;
    MonitorQueriesWrapper;
    UseQueriesWrapper;
    NotificationQueriesWrapper;
    OnCallQueriesWrapper;
    EnvironmentQueriesWrapper;
    DeploymentQueriesWrapper;
    PipelineQueriesWrapper;
    JobQueriesWrapper;
    RunnerQueriesWrapper;
}
