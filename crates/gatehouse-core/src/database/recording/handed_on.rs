//! Queries, and repositories whose changes revoke nothing: all methods are forwarded.

use accounts::{
    AccountQueriesWrapper, AuditQueriesWrapper, AuditRepositoryWrapper, CredentialQueriesWrapper,
    SessionQueriesWrapper,
};
use alert_intake::store::AlertQueriesWrapper;
use deprecations::{UseQueriesWrapper, UseRepositoryWrapper};
use error_tracking::store::{
    CollectRepositoryWrapper, ErrorQueriesWrapper, ErrorRepositoryWrapper, SettingsQueriesWrapper,
};
use events::{EventQueriesWrapper, EventRepositoryWrapper};
use oauth_provider::{
    ApplicationQueriesWrapper, GrantQueriesWrapper, SigningKeyQueriesWrapper,
    SigningKeyRepositoryWrapper,
};
use pipelines::store::{
    DeploymentQueriesWrapper, DeploymentRepositoryWrapper, EnvironmentQueriesWrapper,
    EnvironmentRepositoryWrapper, JobQueriesWrapper, JobRepositoryWrapper, PipelineQueriesWrapper,
    PipelineRepositoryWrapper,
};
use projects::{
    DeletionQueriesWrapper, GroupQueriesWrapper, IssueQueriesWrapper, IssueRepositoryWrapper,
    LabelContent, MemberQueriesWrapper, MemberRepositoryWrapper, MilestoneContent,
    NoteQueriesWrapper, NoteRepositoryWrapper, ProjectQueriesWrapper, SpamQueriesWrapper,
    SpamRepositoryWrapper,
};
use records::{RecordQueriesWrapper, RecordRepositoryWrapper};

#[cfg(test)]
use super::Looking;
use super::Recording;

macro_rules! queries {
    ($($queries:path;)+) => { $(
        impl $queries for Recording<'_> {}
        #[cfg(test)]
        impl $queries for Looking<'_> {}
    )+ };
}

queries! {
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
}

impl AuditRepositoryWrapper for Recording<'_> {}
impl MemberRepositoryWrapper for Recording<'_> {}
impl IssueRepositoryWrapper for Recording<'_> {}
impl NoteRepositoryWrapper for Recording<'_> {}
impl SpamRepositoryWrapper for Recording<'_> {}
impl EventRepositoryWrapper for Recording<'_> {}
impl SigningKeyRepositoryWrapper for Recording<'_> {}
impl ErrorRepositoryWrapper for Recording<'_> {}
impl CollectRepositoryWrapper for Recording<'_> {}
impl UseRepositoryWrapper for Recording<'_> {}
impl EnvironmentRepositoryWrapper for Recording<'_> {}
impl DeploymentRepositoryWrapper for Recording<'_> {}
impl PipelineRepositoryWrapper for Recording<'_> {}
impl JobRepositoryWrapper for Recording<'_> {}

// Changes to records of these kinds revoke nothing that authentication caches: no token, session or account. A kind
// that is not listed here cannot be written.
impl RecordRepositoryWrapper<LabelContent> for Recording<'_> {}
impl RecordRepositoryWrapper<MilestoneContent> for Recording<'_> {}
