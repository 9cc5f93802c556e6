//! Queries, and repositories whose changes revoke nothing: all methods are forwarded.

use accounts::{
    AccountQueriesWrapper, AuditQueriesWrapper, CredentialQueriesWrapper, InvitationQueriesWrapper,
    InvitationRepositoryWrapper, SessionQueriesWrapper, StatusQueriesWrapper,
    StatusRepositoryWrapper,
};
use alert_intake::store::{
    AlertQueriesWrapper, IncidentQueriesWrapper, IncidentRepositoryWrapper, SilenceQueriesWrapper,
    SilenceRepositoryWrapper,
};
use deprecations::{UseQueriesWrapper, UseRepositoryWrapper};
use error_tracking::store::{
    CollectRepositoryWrapper, ErrorQueriesWrapper, ErrorRepositoryWrapper, MonitorQueriesWrapper,
    MonitorRepositoryWrapper, SettingsQueriesWrapper,
};
use events::{EventQueriesWrapper, EventRepositoryWrapper};
use notifications::store::{
    NotificationQueriesWrapper, NotificationRepositoryWrapper, OnCallQueriesWrapper,
    OnCallRepositoryWrapper,
};
use oauth_provider::{
    ApplicationQueriesWrapper, GrantQueriesWrapper, SigningKeyQueriesWrapper,
    SigningKeyRepositoryWrapper,
};
use pipelines::store::{
    DeploymentQueriesWrapper, DeploymentRepositoryWrapper, EnvironmentQueriesWrapper,
    EnvironmentRepositoryWrapper, JobQueriesWrapper, JobRepositoryWrapper, PipelineQueriesWrapper,
    PipelineRepositoryWrapper, RunnerQueriesWrapper, RunnerRepositoryWrapper,
};
use projects::{
    DeletionQueriesWrapper, GroupQueriesWrapper, ImageQueriesWrapper, ImageRepositoriesWrapper,
    IssueQueriesWrapper, IssueRepositoryWrapper, LabelContent, MemberQueriesWrapper,
    MemberRepositoryWrapper, MilestoneContent, NoteQueriesWrapper, NoteRepositoryWrapper,
    ProjectQueriesWrapper, SnippetQueriesWrapper, SnippetRepositoryWrapper, SpamQueriesWrapper,
    SpamRepositoryWrapper,
};
use records::{RecordQueriesWrapper, RecordRepositoryWrapper};

#[cfg(test)]
use super::Passthrough;
use super::RevocationRecorder;

macro_rules! queries {
    ($($queries:path;)+) => { $(
        impl $queries for RevocationRecorder<'_> {}
        #[cfg(test)]
        impl $queries for Passthrough<'_> {}
    )+ };
}

queries! {
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
    EnvironmentQueriesWrapper;
    DeploymentQueriesWrapper;
    PipelineQueriesWrapper;
    JobQueriesWrapper;
    RunnerQueriesWrapper;
    NotificationQueriesWrapper;
    OnCallQueriesWrapper;
}

impl InvitationRepositoryWrapper for RevocationRecorder<'_> {}
impl StatusRepositoryWrapper for RevocationRecorder<'_> {}
impl MemberRepositoryWrapper for RevocationRecorder<'_> {}
impl IssueRepositoryWrapper for RevocationRecorder<'_> {}
impl NoteRepositoryWrapper for RevocationRecorder<'_> {}
impl SnippetRepositoryWrapper for RevocationRecorder<'_> {}
impl SpamRepositoryWrapper for RevocationRecorder<'_> {}
impl ImageRepositoriesWrapper for RevocationRecorder<'_> {}
impl IncidentRepositoryWrapper for RevocationRecorder<'_> {}
impl SilenceRepositoryWrapper for RevocationRecorder<'_> {}
impl EventRepositoryWrapper for RevocationRecorder<'_> {}
impl SigningKeyRepositoryWrapper for RevocationRecorder<'_> {}
impl ErrorRepositoryWrapper for RevocationRecorder<'_> {}
impl MonitorRepositoryWrapper for RevocationRecorder<'_> {}
impl CollectRepositoryWrapper for RevocationRecorder<'_> {}
impl UseRepositoryWrapper for RevocationRecorder<'_> {}
impl EnvironmentRepositoryWrapper for RevocationRecorder<'_> {}
impl DeploymentRepositoryWrapper for RevocationRecorder<'_> {}
impl PipelineRepositoryWrapper for RevocationRecorder<'_> {}
impl JobRepositoryWrapper for RevocationRecorder<'_> {}
impl RunnerRepositoryWrapper for RevocationRecorder<'_> {}
impl NotificationRepositoryWrapper for RevocationRecorder<'_> {}
impl OnCallRepositoryWrapper for RevocationRecorder<'_> {}

// Changes to records of these kinds revoke nothing that authentication caches: no token, session or account. A kind
// that is not listed here cannot be written.
impl RecordRepositoryWrapper<LabelContent> for RevocationRecorder<'_> {}
impl RecordRepositoryWrapper<MilestoneContent> for RevocationRecorder<'_> {}
