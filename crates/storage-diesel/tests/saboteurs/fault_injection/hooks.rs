//! Hooks of fault injection: one for each method of the repositories that a saboteur breaks.
//! The macro adds the hooks of the store itself.

use ::accounts::{
    AccountQueriesWrapper, AccountRepositoryWrapper, AuditEntry, AuditFilter, AuditQueriesWrapper,
    AuditRepositoryWrapper, CredentialQueriesWrapper, CredentialRepositoryWrapper, InsertUser,
    InvitationQueriesWrapper, InvitationRepositoryWrapper, NewAuditEntry, NewSession, NewUser,
    Revocation, RevocationSubject, SessionQueriesWrapper, SessionRepositoryWrapper,
    StatusQueriesWrapper, StatusRepositoryWrapper, UserState,
};
use ::projects::{
    CancelDeletion, DeletionQueriesWrapper, DeletionRepositoryWrapper, Group, GroupContent,
    GroupFilter, GroupQueriesWrapper, GroupRepositoryWrapper, ImageQueriesWrapper,
    ImageRepositoriesWrapper, Issue, IssueBody, IssueCounts, IssueFilter, IssueQueriesWrapper,
    IssueRepositoryWrapper, Locked, Member, MemberFilter, MemberQueriesWrapper,
    MemberRepositoryWrapper, MemberScope, MemberSource, Membership, Namespace, NewIssue, NewShare,
    NoteFilter, NoteQueriesWrapper, NoteRepositoryWrapper, Noteable, Project, ProjectFilter,
    ProjectQueriesWrapper, ProjectRepositoryWrapper, ProjectShare, ResourceNote, SaveGroup,
    ScheduledDeletion, SnippetQueriesWrapper, SnippetRepositoryWrapper, SpamQueriesWrapper,
    SpamRepositoryWrapper,
};
use alert_intake::model::{Alert, AlertFilter, AlertSummary};
use alert_intake::store::{
    AlertQueriesWrapper, AlertRepositoryWrapper, IncidentQueriesWrapper, IncidentRepositoryWrapper,
    SilenceQueriesWrapper, SilenceRepositoryWrapper,
};
use api_conventions::access::Visibility;
use api_conventions::ids::{
    AlertIid, ApplicationId, AuditEntryId, ClientKeyId, DeletionId, ErrorIid, ErrorKeyId, GrantId,
    IssueId, IssueIid, LabelId, NamespaceId, NoteId, ProjectId, SessionId, UserId,
};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::reference::{NamespaceRef, ProjectRef};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use deprecations::{UseQueriesWrapper, UseRepositoryWrapper};
use error_tracking::model::{ClientKey, EventId, OutcomeCounter, Settings, TrackedError, UserMark};
use error_tracking::store::{
    CollectRepositoryWrapper, ErrorQueriesWrapper, ErrorRepositoryWrapper, MonitorQueriesWrapper,
    MonitorRepositoryWrapper, SettingsQueriesWrapper, SettingsRepositoryWrapper,
};
use events::{EventFilter, EventQueriesWrapper, EventRepositoryWrapper, FeedEvent, NewEvent};
use notifications::store::{
    NotificationQueriesWrapper, NotificationRepositoryWrapper, OnCallQueriesWrapper,
    OnCallRepositoryWrapper,
};
use oauth_provider::{
    ApplicationQueriesWrapper, ApplicationRepositoryWrapper, CodeRedemption, Family, Grant,
    GrantQueriesWrapper, GrantRepositoryWrapper, NewApplication, NewGrant, NewTokenPair,
    PairRotation, Redemption, Rotation, RotationSeed, SigningKeyQueriesWrapper,
    SigningKeyRepositoryWrapper, TokenPair,
};
use pipelines::store::{
    DeploymentQueriesWrapper, DeploymentRepositoryWrapper, EnvironmentQueriesWrapper,
    EnvironmentRepositoryWrapper, JobQueriesWrapper, JobRepositoryWrapper, PipelineQueriesWrapper,
    PipelineRepositoryWrapper, RunnerQueriesWrapper, RunnerRepositoryWrapper,
};
use storage::StoreError;

use super::define_hooks::hooks;
use super::{
    DynPromise, ErasedResult, FaultContext, FaultyReadTx, FaultyWriteTx, ReadHook, ReadWork,
    SharedRows, WriteHook, WriteWork,
};

hooks! {
    queries AccountQueriesWrapper {
        fn list_revocations_after(epoch: i64, limit: usize) -> Vec<Revocation>;
    }
    queries CredentialQueriesWrapper {}
    queries SessionQueriesWrapper {}
    queries InvitationQueriesWrapper {}
    queries StatusQueriesWrapper {}
    queries AuditQueriesWrapper {
        fn list_audit_entries(
            filter: &AuditFilter, last: Option<AuditEntryId>, page: KeysetPage
        ) -> KeysetSlice<AuditEntry>;
    }
    queries ProjectQueriesWrapper {
        fn find_project(reference: &ProjectRef) -> Option<Project>;
        fn find_membership(user: UserId, project: ProjectId, today: CalendarDate) -> Membership;
        fn list_projects(filter: &ProjectFilter, today: CalendarDate, page: OffsetPage) -> Page<Project>;
        fn list_projects_by_key(filter: &ProjectFilter, today: CalendarDate, page: KeysetPage) -> KeysetSlice<Project>;
    }
    queries DeletionQueriesWrapper {
        fn list_due_deletions(now: Timestamp, limit: usize) -> Vec<ScheduledDeletion>;
    }
    queries GroupQueriesWrapper {
        fn find_group(reference: &NamespaceRef) -> Option<Group>;
        fn list_groups(filter: &GroupFilter, today: CalendarDate, page: OffsetPage) -> Page<Group>;
        fn list_groups_by_name(
            filter: &GroupFilter, after: Option<(&str, NamespaceId)>, today: CalendarDate, page: KeysetPage
        ) -> KeysetSlice<Group>;
        fn find_widest_below(group: NamespaceId) -> Option<Visibility>;
    }
    queries MemberQueriesWrapper {
        fn list_members(
            place: MemberSource, scope: MemberScope, filter: &MemberFilter, today: CalendarDate,
            page: OffsetPage
        ) -> Page<Member>;
        fn has_other_owner(group: NamespaceId, user: UserId) -> bool;
    }
    queries IssueQueriesWrapper {
        fn find_issue(project: ProjectId, iid: IssueIid) -> Option<Issue>;
        fn list_issues(filter: &IssueFilter, today: CalendarDate, page: OffsetPage) -> Page<Issue>;
        fn count_issues(filter: &IssueFilter, today: CalendarDate) -> IssueCounts;
        fn count_issues_by_label(
            filter: &IssueFilter, labels: &[LabelId], today: CalendarDate
        ) -> Vec<(LabelId, IssueCounts)>;
    }
    queries SnippetQueriesWrapper {}
    queries SpamQueriesWrapper {}
    queries ImageQueriesWrapper {}
    queries NoteQueriesWrapper {
        fn list_notes(filter: &NoteFilter, page: OffsetPage) -> Page<ResourceNote>;
        fn list_comment_ids(
            on: Noteable, sees_internal: bool, after: NoteId, limit: usize
        ) -> Vec<NoteId>;
    }
    queries IncidentQueriesWrapper {}
    queries SilenceQueriesWrapper {}
    queries AlertQueriesWrapper {
        fn list_alerts(filter: &AlertFilter, page: OffsetPage) -> Page<AlertSummary>;
        fn find_alert(project: ProjectId, iid: AlertIid) -> Option<Alert>;
    }
    queries SettingsQueriesWrapper {}
    queries ErrorQueriesWrapper {}
    queries MonitorQueriesWrapper {}
    queries EnvironmentQueriesWrapper {}
    queries DeploymentQueriesWrapper {}
    queries PipelineQueriesWrapper {}
    queries JobQueriesWrapper {}
    queries RunnerQueriesWrapper {}
    queries EventQueriesWrapper {
        fn list_project_events(filter: &EventFilter, page: OffsetPage) -> Page<FeedEvent>;
    }
    queries UseQueriesWrapper {}
    queries NotificationQueriesWrapper {}
    queries OnCallQueriesWrapper {}
    queries ApplicationQueriesWrapper {}
    queries GrantQueriesWrapper {
        fn find_pair_by_access(access: &SecretDigest) -> Option<TokenPair>;
        fn find_pair_by_refresh(refresh: &SecretDigest) -> Option<TokenPair>;
    }
    queries SigningKeyQueriesWrapper {}
    changes AccountRepositoryWrapper {
        fn insert_user(user: &NewUser) -> InsertUser;
        fn raise_auth_epoch(revoked: &[RevocationSubject]) -> i64;
    }
    changes CredentialRepositoryWrapper {
        fn set_user_state(id: UserId, state: UserState) -> bool;
    }
    changes SessionRepositoryWrapper {
        fn insert_session(session: &NewSession) -> SessionId;
        fn delete_session(id: SessionId) -> bool;
        fn delete_sessions_of(user: UserId, except: Option<SessionId>) -> usize;
    }
    changes InvitationRepositoryWrapper {}
    changes StatusRepositoryWrapper {}
    changes AuditRepositoryWrapper {
        fn insert_audit_entries(entries: &[NewAuditEntry]) -> ();
    }
    changes ProjectRepositoryWrapper {}
    changes DeletionRepositoryWrapper {
        fn cancel_deletion(id: DeletionId) -> CancelDeletion;
        fn start_deletion(id: DeletionId, now: Timestamp) -> bool;
        fn delete_rows_of_project(project: ProjectId, limit: usize) -> usize;
        fn delete_groups_of(deletion: DeletionId, limit: usize) -> Vec<NamespaceId>;
    }
    changes GroupRepositoryWrapper {
        fn update_group(
            group: Locked<Group>, content: &GroupContent, parent: Option<&Namespace>, now: Timestamp
        ) -> SaveGroup;
    }
    changes MemberRepositoryWrapper {
        fn lock_members(place: MemberSource) -> Option<Locked<MemberSource>>;
        fn remove_members_below(place: &Locked<MemberSource>, user: UserId) -> Vec<Member>;
        fn insert_share(project: &Locked<MemberSource>, share: &NewShare) -> Option<ProjectShare>;
        fn take_expired_members(today: CalendarDate, limit: usize) -> Vec<Member>;
    }
    changes IssueRepositoryWrapper {
        fn insert_issue(new: &NewIssue) -> Issue;
        fn skip_issue_numbers(project: ProjectId, through: IssueIid) -> ();
        fn update_issue(issue: Locked<Issue>, body: IssueBody, now: Timestamp) -> Issue;
    }
    changes SnippetRepositoryWrapper {}
    changes SpamRepositoryWrapper {}
    changes ImageRepositoriesWrapper {}
    changes NoteRepositoryWrapper {
        fn update_note(on: Noteable, id: NoteId, body: &str, now: Timestamp) -> bool;
        fn delete_note(on: Noteable, id: NoteId) -> bool;
    }
    changes AlertRepositoryWrapper {}
    changes IncidentRepositoryWrapper {}
    changes SilenceRepositoryWrapper {}
    changes MonitorRepositoryWrapper {}
    changes SettingsRepositoryWrapper {
        fn put_external_link(
            locked: &Locked<Settings>, error: ErrorIid, issue: Option<IssueId>
        ) -> ();
        fn delete_client_key(project: ProjectId, id: ClientKeyId) -> Option<ClientKey>;
    }
    changes ErrorRepositoryWrapper {
        fn lock_error(project: ProjectId, iid: ErrorIid) -> Option<Locked<TrackedError>>;
        fn merge_errors(from: Locked<TrackedError>, to: Locked<TrackedError>) -> TrackedError;
        fn split_error_key(error: Locked<TrackedError>, key: ErrorKeyId) -> TrackedError;
    }
    changes CollectRepositoryWrapper {
        fn list_stored_events(events: &[(ProjectId, EventId)]) -> Vec<(ProjectId, EventId)>;
        fn insert_error_users(seen: &[(ErrorKeyId, UserMark)]) -> Vec<(ErrorKeyId, UserMark)>;
        fn add_counters(counters: &[OutcomeCounter]) -> ();
    }
    changes EnvironmentRepositoryWrapper {}
    changes DeploymentRepositoryWrapper {}
    changes PipelineRepositoryWrapper {}
    changes JobRepositoryWrapper {}
    changes RunnerRepositoryWrapper {}
    changes EventRepositoryWrapper {
        fn insert_events(events: &[NewEvent]) -> ();
    }
    changes UseRepositoryWrapper {}
    changes NotificationRepositoryWrapper {}
    changes OnCallRepositoryWrapper {}
    changes ApplicationRepositoryWrapper {
        fn insert_application(application: &NewApplication) -> ApplicationId;
    }
    changes GrantRepositoryWrapper {
        fn insert_grant(grant: &NewGrant) -> GrantId;
        fn redeem_code(code: &SecretDigest, pair: &NewTokenPair, now: Timestamp) -> Redemption;
        fn lock_grants_by_code(codes: &[SecretDigest]) -> Vec<Option<Grant>>;
        fn redeem_codes(redemptions: &[CodeRedemption]) -> Vec<Redemption>;
        fn rotate_pair(
            refresh: &SecretDigest, seed: RotationSeed, successor: &NewTokenPair, now: Timestamp
        ) -> Rotation;
        fn lock_families(refresh: &[SecretDigest]) -> Vec<Option<Family>>;
        fn rotate_pairs(rotations: &[PairRotation]) -> Vec<Rotation>;
        fn revoke_grants_of_user(
            user: UserId, app: Option<ApplicationId>, now: Timestamp
        ) -> usize;
    }
    changes SigningKeyRepositoryWrapper {}
}
