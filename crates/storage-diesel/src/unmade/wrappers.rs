//! Every repository, handed on.

use accounts::{
    AccountQueriesWrapper, AccountRepositoryWrapper, AuditQueriesWrapper, AuditRepositoryWrapper,
    CredentialQueriesWrapper, CredentialRepositoryWrapper, SessionQueriesWrapper,
    SessionRepositoryWrapper,
};
use alert_intake::store::{AlertQueriesWrapper, AlertRepositoryWrapper};
use deprecations::{UseQueriesWrapper, UseRepositoryWrapper};
use error_tracking::store::{
    CollectRepositoryWrapper, ErrorQueriesWrapper, ErrorRepositoryWrapper, SettingsQueriesWrapper,
    SettingsRepositoryWrapper,
};
use events::{EventQueriesWrapper, EventRepositoryWrapper};
use oauth_provider::{
    ApplicationQueriesWrapper, ApplicationRepositoryWrapper, GrantQueriesWrapper,
    GrantRepositoryWrapper, SigningKeyQueriesWrapper, SigningKeyRepositoryWrapper,
};
use pipelines::store::{
    DeploymentQueriesWrapper, DeploymentRepositoryWrapper, EnvironmentQueriesWrapper,
    EnvironmentRepositoryWrapper, JobQueriesWrapper, JobRepositoryWrapper, PipelineQueriesWrapper,
    PipelineRepositoryWrapper,
};
use projects::{
    DeletionQueriesWrapper, DeletionRepositoryWrapper, GroupQueriesWrapper, GroupRepositoryWrapper,
    IssueQueriesWrapper, IssueRepositoryWrapper, LabelContent, MemberQueriesWrapper,
    MemberRepositoryWrapper, MilestoneContent, NoteQueriesWrapper, NoteRepositoryWrapper,
    ProjectQueriesWrapper, ProjectRepositoryWrapper, SpamQueriesWrapper, SpamRepositoryWrapper,
};
use records::{RecordQueriesWrapper, RecordRepositoryWrapper};

use super::store::UnmadeTx;

macro_rules! handed_on {
    ($($wrapper:path;)+) => { $( impl $wrapper for UnmadeTx<'_> {} )+ };
}

handed_on! {
    AccountQueriesWrapper;
    CredentialQueriesWrapper;
    SessionQueriesWrapper;
    AuditQueriesWrapper;
    ProjectQueriesWrapper;
    DeletionQueriesWrapper;
    GroupQueriesWrapper;
    MemberQueriesWrapper;
    RecordQueriesWrapper<LabelContent>;
    RecordQueriesWrapper<MilestoneContent>;
    IssueQueriesWrapper;
    NoteQueriesWrapper;
    SpamQueriesWrapper;
    AlertQueriesWrapper;
    EventQueriesWrapper;
    ApplicationQueriesWrapper;
    GrantQueriesWrapper;
    SigningKeyQueriesWrapper;
    SettingsQueriesWrapper;
    ErrorQueriesWrapper;
    UseQueriesWrapper;
    EnvironmentQueriesWrapper;
    DeploymentQueriesWrapper;
    PipelineQueriesWrapper;
    JobQueriesWrapper;
    AccountRepositoryWrapper;
    CredentialRepositoryWrapper;
    SessionRepositoryWrapper;
    AuditRepositoryWrapper;
    ProjectRepositoryWrapper;
    DeletionRepositoryWrapper;
    GroupRepositoryWrapper;
    MemberRepositoryWrapper;
    IssueRepositoryWrapper;
    NoteRepositoryWrapper;
    SpamRepositoryWrapper;
    AlertRepositoryWrapper;
    EventRepositoryWrapper;
    ApplicationRepositoryWrapper;
    GrantRepositoryWrapper;
    SigningKeyRepositoryWrapper;
    SettingsRepositoryWrapper;
    ErrorRepositoryWrapper;
    CollectRepositoryWrapper;
    UseRepositoryWrapper;
    EnvironmentRepositoryWrapper;
    DeploymentRepositoryWrapper;
    PipelineRepositoryWrapper;
    JobRepositoryWrapper;
    RecordRepositoryWrapper<LabelContent>;
    RecordRepositoryWrapper<MilestoneContent>;
}
