//! The hooks of fault injection: one for each method of the repositories. The macro adds those of the store itself.

use std::ops::Range;

use ::accounts::password::PasswordHash;
use ::accounts::{
    AccessToken, AccountQueries, AccountRepository, AuditEntity, AuditEntry, AuditQueries,
    AuditRepository, CredentialQueries, CredentialRepository, Credentials, Failures, InsertUser,
    NewAuditEntry, NewSession, NewToken, NewUser, Revocation, Revoked, Session, SessionQueries,
    SessionRepository, UpdateUser, User, UserActivity, UserChange, UserFilter, UserKind, UserState,
};
use ::projects::{
    CancelDeletion, Deletion, DeletionQueries, DeletionRepository, Doomed, FullNames, Group,
    GroupContent, GroupFilter, GroupMembership, GroupQueries, GroupRepository, InsertNamespace,
    InsertProject, Issue, IssueBody, IssueCounts, IssueFilter, IssueQueries, IssueRepository,
    Label, Locked, LockedIssue, LockedMembers, Member, MemberFilter, MemberPlace, MemberQueries,
    MemberRepository, MemberScope, Membership, Milestone, Moved, Namespace, NamespaceFilter,
    NewDeletion, NewIssue, NewMember, NewNamespace, NewNote, NewProject, NewShare, NewSpamLog,
    Note, NoteFilter, NoteQueries, NoteRepository, Noteable, OpenIssues, Project, ProjectChange,
    ProjectFilter, ProjectQueries, ProjectRepository, ProjectShare, SaveGroup, SaveProject,
    SpamLog, SpamQueries, SpamRepository, UserGroup,
};
use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertProgress, AlertSummary, ContentDigest,
    Integration, IntegrationChange, KeptAnswer, KnownAlert, NewAlert, NewIntegration, NewReceipt,
    Receipt, StatusChange,
};
use alert_intake::search::SearchPart;
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::access::Visibility;
use api_conventions::ids::{
    AlertIid, ApplicationId, AttachmentId, AuditEntryId, ClientKeyId, DeletionId, DeploymentId,
    EnvironmentId, ErrorEventId, ErrorId, ErrorIid, ErrorKeyId, GrantId, IntegrationId, IssueId,
    IssueIid, JobId, LabelId, MilestoneId, NamespaceId, NoteId, PipelineId, ProjectId, ReceiptId,
    SessionId, SigningKeyId, SpamLogId, TokenId, TokenPairId, UserId,
};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use deprecations::{Use, UseQueries, UseRepository, UseSum};
use error_tracking::grouping::GroupKey;
use error_tracking::model::{
    ClientKey, ClientKeyChange, ErrorComment, ErrorEvent, ErrorEventSummary, ErrorFilter, ErrorKey,
    ErrorState, EventId, NewClientKey, PublicKey, SessionSum, Settings, StoredAttachment, TagCount,
    Tally, TrackedError, UserMark,
};
use error_tracking::store::{
    CollectRepository, ErrorProgress, ErrorQueries, ErrorRepository, EventPlace, EventPosition,
    FormerNumber, HourCount, KnownError, NewAttachment, NewComment, NewError, NewErrorEvent,
    SessionFilter, SettingsQueries, SettingsRepository, TagProgress, TallyFilter,
};
use events::{
    Audience, AuthorFilter, AuthoredEvent, Event, EventFilter, EventQueries, EventRepository,
    NewEvent, TargetType,
};
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationQueries, ApplicationRepository,
    ApplicationUid, AuthorizationRequest, AuthorizedApplication, CodeRedemption, Family, Grant,
    GrantQueries, GrantRepository, NewApplication, NewGrant, NewSigningKey, NewTokenPair,
    PairRotation, Redemption, Rotation, RotationSeed, SigningKey, SigningKeyQueries,
    SigningKeyRepository, TokenPair,
};
use pipelines::model::{
    CiStatus, CommitStatusFilter, Deployment, DeploymentChange, DeploymentFilter, Environment,
    EnvironmentChange, EnvironmentFilter, Job, JobChange, JobFilter, NewDeployment, NewEnvironment,
    NewJob, NewPipeline, Pipeline, PipelineChange, PipelineFilter, Variable,
};
use pipelines::store::{
    DeploymentQueries, DeploymentRepository, EnvironmentQueries, EnvironmentRepository,
    InsertEnvironment, JobQueries, JobRepository, PipelineQueries, PipelineRepository,
    UpdateEnvironment,
};
use storage::StoreError;

use super::define_hooks::hooks;
use super::{
    DynPromise, FaultContext, FaultyReadTx, FaultyWriteTx, Outcome, ReadWork, Reading, Rows,
    WriteWork, Writing,
};

hooks! {
    queries AccountQueries {
        fn find_user(id: UserId) -> Option<User>;
        fn find_user_by_username(username: &str) -> Option<User>;
        fn list_users_by_id(ids: &[UserId]) -> Vec<User>;
        fn list_users_by_username(usernames: &[&str]) -> Vec<User>;
        fn list_users(filter: &UserFilter, page: OffsetPage) -> Page<User>;
        fn find_bot(kind: UserKind) -> Option<User>;
        fn find_token_by_digest(digest: &SecretDigest) -> Option<AccessToken>;
        fn list_token_names(ids: &[TokenId]) -> Vec<(TokenId, String)>;
        fn auth_epoch() -> i64;
        fn list_revocations_after(epoch: i64, limit: usize) -> Vec<Revocation>;
    }
    queries CredentialQueries {
        fn find_credentials(login: &str) -> Option<Credentials>;
        fn find_credentials_of(id: UserId) -> Option<Credentials>;
        fn find_failures(key: &SecretDigest) -> Option<Failures>;
    }
    queries SessionQueries {
        fn find_session(digest: &SecretDigest) -> Option<Session>;
        fn list_sessions(user: UserId) -> Vec<Session>;
        fn list_user_activity(ids: &[UserId]) -> Vec<(UserId, UserActivity)>;
    }
    queries AuditQueries {
        fn list_audit_entries(
            entity: AuditEntity, last: Option<AuditEntryId>, page: KeysetPage
        ) -> Stretch<AuditEntry>;
    }
    queries ProjectQueries {
        fn find_namespace(path: &FullPath) -> Option<Namespace>;
        fn find_namespace_by_id(id: NamespaceId) -> Option<Namespace>;
        fn find_namespace_of(user: UserId) -> Option<Namespace>;
        fn list_full_names(namespaces: &[NamespaceId]) -> FullNames;
        fn find_moved(path: &FullPath) -> Option<Moved>;
        fn list_projects_by_id(ids: &[ProjectId]) -> Vec<Project>;
        fn find_project(reference: &ProjectRef) -> Option<Project>;
        fn find_membership(user: UserId, project: ProjectId, today: CalendarDate) -> Membership;
        fn list_groups_of_user(user: UserId, today: CalendarDate) -> Vec<UserGroup>;
        fn list_projects(filter: &ProjectFilter, today: CalendarDate, page: OffsetPage) -> Page<Project>;
        fn list_projects_by_key(filter: &ProjectFilter, today: CalendarDate, page: KeysetPage) -> Stretch<Project>;
    }
    queries DeletionQueries {
        fn find_deletion(doomed: Doomed) -> Option<Deletion>;
        fn find_doomed_project(id: ProjectId) -> Option<Project>;
        fn find_doomed_group(id: NamespaceId) -> Option<Group>;
        fn list_due_deletions(now: Timestamp, limit: usize) -> Vec<Deletion>;
        fn find_project_to_delete(deletion: DeletionId) -> Option<ProjectId>;
    }
    queries GroupQueries {
        fn find_group(reference: &NamespaceRef) -> Option<Group>;
        fn find_group_membership(user: UserId, group: NamespaceId, today: CalendarDate) -> GroupMembership;
        fn list_groups(filter: &GroupFilter, today: CalendarDate, page: OffsetPage) -> Page<Group>;
        fn list_groups_by_name(
            filter: &GroupFilter, after: Option<(&str, NamespaceId)>, today: CalendarDate, page: KeysetPage
        ) -> Stretch<Group>;
        fn list_namespaces(filter: &NamespaceFilter, today: CalendarDate, page: OffsetPage) -> Page<Namespace>;
        fn list_lineage(namespace: NamespaceId) -> Vec<Namespace>;
        fn find_widest_below(group: NamespaceId) -> Option<Visibility>;
    }
    queries MemberQueries {
        fn find_member(
            place: MemberPlace, scope: MemberScope, user: UserId, today: CalendarDate
        ) -> Option<Member>;
        fn list_members(
            place: MemberPlace, scope: MemberScope, filter: &MemberFilter, today: CalendarDate,
            page: OffsetPage
        ) -> Page<Member>;
        fn list_member_ids(
            place: MemberPlace, scope: MemberScope, filter: &MemberFilter, today: CalendarDate,
            limit: usize
        ) -> Vec<UserId>;
        fn list_memberships(
            user: UserId, projects: &[ProjectId], today: CalendarDate
        ) -> Vec<(ProjectId, Membership)>;
        fn has_other_owner(group: NamespaceId, user: UserId) -> bool;
        fn list_shares(project: ProjectId, today: CalendarDate) -> Vec<ProjectShare>;
    }
    queries IssueQueries {
        fn find_issue(project: ProjectId, iid: IssueIid) -> Option<Issue>;
        fn find_issue_by_id(id: IssueId) -> Option<Issue>;
        fn list_issues(filter: &IssueFilter, today: CalendarDate, page: OffsetPage) -> Page<Issue>;
        fn count_issues(filter: &IssueFilter, today: CalendarDate) -> IssueCounts;
        fn count_issues_by_label(
            filter: &IssueFilter, labels: &[LabelId], today: CalendarDate
        ) -> Vec<(LabelId, IssueCounts)>;
        fn count_open_issues(projects: &[ProjectId]) -> Vec<(ProjectId, OpenIssues)>;
        fn list_labels_by_id(ids: &[LabelId]) -> Vec<Label>;
        fn list_labels_by_title(project: ProjectId, titles: &[String]) -> Vec<Label>;
        fn list_milestones_by_id(ids: &[MilestoneId]) -> Vec<Milestone>;
    }
    queries SpamQueries {
        fn find_spam_log(id: SpamLogId) -> Option<SpamLog>;
        fn list_spam_logs(limit: usize) -> Vec<SpamLog>;
    }
    queries NoteQueries {
        fn find_note(on: Noteable, id: NoteId) -> Option<Note>;
        fn list_notes_by_id(ids: &[NoteId]) -> Vec<Note>;
        fn list_notes(filter: &NoteFilter, page: OffsetPage) -> Page<Note>;
        fn list_comment_ids(
            on: Noteable, sees_internal: bool, after: NoteId, limit: usize
        ) -> Vec<NoteId>;
    }
    queries AlertQueries {
        fn find_alert(project: ProjectId, iid: AlertIid) -> Option<Alert>;
        fn list_alerts(filter: &AlertFilter, page: OffsetPage) -> Page<AlertSummary>;
        fn find_integration(project: ProjectId, endpoint_identifier: &str) -> Option<Integration>;
        fn list_receipts(project: ProjectId, page: OffsetPage) -> Page<Receipt>;
        fn list_receipts_after(
            project: ProjectId, beyond: Option<ReceiptId>, page: KeysetPage
        ) -> Stretch<Receipt>;
        fn find_receipt(project: ProjectId, id: ReceiptId) -> Option<Receipt>;
        fn find_search_part() -> Option<SearchPart>;
    }
    queries SettingsQueries {
        fn find_error_settings(project: ProjectId) -> Option<Settings>;
        fn find_client_key(key: &PublicKey) -> Option<ClientKey>;
        fn list_error_settings(beyond: Option<ProjectId>, limit: usize) -> Vec<Settings>;
        fn list_client_keys(project: ProjectId, page: OffsetPage) -> Page<ClientKey>;
        fn list_external_links(project: ProjectId, errors: &[ErrorIid]) -> Vec<(ErrorIid, IssueId)>;
    }
    queries ErrorQueries {
        fn find_error(project: ProjectId, iid: ErrorIid) -> Option<TrackedError>;
        fn find_error_by_id(id: ErrorId) -> Option<TrackedError>;
        fn find_merged_error(merged: FormerNumber) -> Option<TrackedError>;
        fn list_errors(filter: &ErrorFilter, page: OffsetPage) -> Page<TrackedError>;
        fn walk_errors(
            filter: &ErrorFilter, beyond: Option<ErrorId>, page: KeysetPage
        ) -> Stretch<TrackedError>;
        fn count_errors(project: ProjectId) -> [i64; 3];
        fn list_error_keys(error: ErrorId) -> Vec<ErrorKey>;
        fn find_error_event(error: ErrorId, position: EventPosition) -> Option<ErrorEvent>;
        fn list_errors_of_event(event: EventId, project: Option<ProjectId>) -> Vec<(ProjectId, ErrorId)>;
        fn find_event_place(error: ErrorId, event: ErrorEventId) -> EventPlace;
        fn list_error_events(error: ErrorId, page: OffsetPage) -> Page<ErrorEventSummary>;
        fn list_error_tags(error: ErrorId, values: usize) -> Vec<TagCount>;
        fn list_error_hours(errors: &[ErrorId], from: Timestamp) -> Vec<(ErrorId, HourCount)>;
        fn list_error_comments(error: ErrorId, page: OffsetPage) -> Page<ErrorComment>;
        fn list_attachments(project: ProjectId, event: EventId) -> Vec<StoredAttachment>;
        fn find_attachment(
            project: ProjectId, event: EventId, id: AttachmentId
        ) -> Option<(StoredAttachment, Vec<u8>)>;
        fn list_tallies(filter: &TallyFilter) -> Vec<Tally>;
        fn list_session_sums(filter: &SessionFilter, limit: usize) -> Vec<SessionSum>;
        fn list_releases(project: ProjectId, limit: usize) -> Vec<(String, Timestamp)>;
    }
    queries EnvironmentQueries {
        fn find_environment(project: ProjectId, id: EnvironmentId) -> Option<Environment>;
        fn find_environment_by_name(project: ProjectId, name: &str) -> Option<Environment>;
        fn list_environments_by_id(ids: &[EnvironmentId]) -> Vec<Environment>;
        fn list_environments(filter: &EnvironmentFilter, page: OffsetPage) -> Page<Environment>;
    }
    queries DeploymentQueries {
        fn find_deployment(project: ProjectId, id: DeploymentId) -> Option<Deployment>;
        fn list_deployments(filter: &DeploymentFilter, page: OffsetPage) -> Page<Deployment>;
    }
    queries PipelineQueries {
        fn find_pipeline(project: ProjectId, id: PipelineId) -> Option<Pipeline>;
        fn find_latest_pipeline(project: ProjectId, sha: &str, reference: Option<&str>) -> Option<Pipeline>;
        fn list_pipelines_by_id(ids: &[PipelineId]) -> Vec<Pipeline>;
        fn list_pipelines(filter: &PipelineFilter, page: OffsetPage) -> Page<Pipeline>;
        fn list_pipeline_variables(pipeline: PipelineId) -> Vec<Variable>;
    }
    queries JobQueries {
        fn find_job(project: ProjectId, id: JobId) -> Option<Job>;
        fn find_current_job(pipeline: PipelineId, name: &str) -> Option<Job>;
        fn list_jobs(filter: &JobFilter, page: OffsetPage) -> Page<Job>;
        fn walk_jobs(filter: &JobFilter, beyond: Option<JobId>, page: KeysetPage) -> Stretch<Job>;
        fn list_commit_statuses(filter: &CommitStatusFilter, page: OffsetPage) -> Page<Job>;
        fn list_statuses_of(pipeline: PipelineId) -> Vec<CiStatus>;
    }
    queries EventQueries {
        fn list_project_events(filter: &EventFilter, page: OffsetPage) -> Page<Event>;
        fn list_author_events(filter: &AuthorFilter, limit: usize) -> Vec<AuthoredEvent>;
    }
    queries UseQueries {
        fn list_uses_of_user(user: UserId, limit: usize) -> Vec<Use>;
        fn list_uses_of_record(record: &str, limit: usize) -> Vec<Use>;
        fn sum_uses_of_record(record: &str) -> Option<UseSum>;
    }
    queries ApplicationQueries {
        fn find_application(id: ApplicationId) -> Option<Application>;
        fn find_application_by_uid(uid: &ApplicationUid) -> Option<Application>;
        fn list_applications(owner: ApplicationOwner, page: OffsetPage) -> Page<Application>;
        fn list_application_names(ids: &[ApplicationId]) -> Vec<(ApplicationId, String)>;
        fn list_authorized_applications(user: UserId, now: Timestamp) -> Vec<AuthorizedApplication>;
    }
    queries GrantQueries {
        fn find_grant(id: GrantId) -> Option<Grant>;
        fn find_grant_by_code(code: &SecretDigest) -> Option<Grant>;
        fn has_consented(user: UserId, app: ApplicationId, scopes: &ScopeSet, now: Timestamp) -> bool;
        fn find_pair_by_access(access: &SecretDigest) -> Option<TokenPair>;
        fn find_pair_by_refresh(refresh: &SecretDigest) -> Option<TokenPair>;
        fn find_authorization_request(handle: &SecretDigest) -> Option<AuthorizationRequest>;
    }
    queries SigningKeyQueries {
        fn list_signing_keys() -> Vec<SigningKey>;
    }
    changes AccountRepository {
        fn insert_user(user: &NewUser) -> InsertUser;
        fn update_user(id: UserId, change: &UserChange) -> UpdateUser;
        fn insert_token(token: &NewToken) -> TokenId;
        fn revoke_token(id: TokenId, at_moment: Timestamp) -> bool;
        fn touch_tokens(used: &[(TokenId, Timestamp)]) -> ();
        fn raise_auth_epoch(revoked: &[Revoked]) -> i64;
        fn forget_revocations_through(epoch: i64) -> usize;
    }
    changes CredentialRepository {
        fn lock_user(id: UserId) -> bool;
        fn set_password(id: UserId, password: &PasswordHash) -> bool;
        fn set_user_state(id: UserId, state: UserState) -> bool;
        fn put_second_factor(
            id: UserId, sealed: &[u8], last_step: i64, codes: &[SecretDigest], now: Timestamp
        ) -> bool;
        fn delete_second_factor(id: UserId) -> bool;
        fn take_time_step(id: UserId, step: i64) -> bool;
        fn take_recovery_code(id: UserId, code: &SecretDigest) -> bool;
        fn replace_recovery_codes(id: UserId, codes: &[SecretDigest]) -> bool;
        fn count_failure(key: &SecretDigest, window_seconds: i64, now: Timestamp) -> Failures;
        fn forget_failures(key: &SecretDigest) -> ();
        fn delete_old_failures(before: Timestamp) -> usize;
    }
    changes SessionRepository {
        fn insert_session(session: &NewSession) -> SessionId;
        fn note_sign_in(user: UserId, at: Timestamp) -> bool;
        fn renew_session(id: SessionId, digest: &SecretDigest, now: Timestamp) -> bool;
        fn lock_session(id: SessionId) -> bool;
        fn touch_sessions(used: &[(SessionId, Timestamp)]) -> ();
        fn delete_session(id: SessionId) -> bool;
        fn delete_sessions_of(user: UserId, except: Option<SessionId>) -> usize;
        fn delete_ended_sessions(before: Timestamp, unused_since: Timestamp, limit: usize) -> usize;
    }
    changes AuditRepository {
        fn insert_audit_entries(entries: &[NewAuditEntry]) -> ();
    }
    changes ProjectRepository {
        fn insert_namespace(namespace: &NewNamespace) -> InsertNamespace;
        fn insert_project(project: &NewProject) -> InsertProject;
        fn lock_project(project: ProjectId, others: &[NamespaceId]) -> Option<Locked<Project>>;
        fn update_project(project: Locked<Project>, change: &ProjectChange, now: Timestamp) -> SaveProject;
        fn touch_projects(timestamps: &[(ProjectId, Timestamp)]) -> ();
    }
    changes DeletionRepository {
        fn doom_project(project: Locked<Project>, new: &NewDeletion) -> Deletion;
        fn doom_group(group: Locked<Group>, new: &NewDeletion) -> Deletion;
        fn cancel_deletion(id: DeletionId) -> CancelDeletion;
        fn start_deletion(id: DeletionId, now: Timestamp) -> bool;
        fn delete_rows_of_project(project: ProjectId, limit: usize) -> usize;
        fn delete_groups_of(deletion: DeletionId, limit: usize) -> usize;
    }
    changes GroupRepository {
        fn lock_group(group: NamespaceId, others: &[NamespaceId]) -> Option<Locked<Group>>;
        fn update_group(
            group: Locked<Group>, content: &GroupContent, parent: Option<&Namespace>, now: Timestamp
        ) -> SaveGroup;
    }
    changes MemberRepository {
        fn lock_members(place: MemberPlace) -> Option<LockedMembers>;
        fn put_member(place: &LockedMembers, member: &NewMember) -> ();
        fn remove_member(place: &LockedMembers, user: UserId) -> Option<Member>;
        fn remove_members_below(place: &LockedMembers, user: UserId) -> Vec<Member>;
        fn insert_share(project: &LockedMembers, share: &NewShare) -> Option<ProjectShare>;
        fn remove_share(project: &LockedMembers, group: NamespaceId) -> Option<ProjectShare>;
        fn take_expired_members(today: CalendarDate, limit: usize) -> Vec<Member>;
        fn take_expired_shares(today: CalendarDate, limit: usize) -> Vec<ProjectShare>;
    }
    changes IssueRepository {
        fn lock_issues(project: ProjectId) -> bool;
        fn insert_issue(new: &NewIssue) -> Issue;
        fn skip_issue_numbers(project: ProjectId, through: IssueIid) -> ();
        fn lock_issue(project: ProjectId, iid: IssueIid) -> Option<LockedIssue>;
        fn update_issue(issue: LockedIssue, body: IssueBody, now: Timestamp) -> Issue;
        fn delete_issue(issue: LockedIssue) -> Issue;
    }
    changes SpamRepository {
        fn hold_as_spam(new: &NewSpamLog) -> SpamLog;
        fn trim_spam_logs(user: UserId, keep: usize) -> usize;
        fn note_solved(id: SpamLogId, at_moment: Timestamp) -> bool;
        fn delete_spam_logs_before(last_at: Timestamp, limit: usize) -> usize;
    }
    changes NoteRepository {
        fn insert_notes(new: &[NewNote]) -> Vec<Note>;
        fn update_note(on: Noteable, id: NoteId, body: &str, now: Timestamp) -> bool;
        fn delete_note(on: Noteable, id: NoteId) -> bool;
    }
    changes AlertRepository {
        fn delete_alerts_of(project: ProjectId, limit: usize) -> usize;
        fn lock_alerts(projects: &[ProjectId]) -> ();
        fn list_latest_by_identity(identities: &[(ProjectId, AlertIdentity)]) -> Vec<KnownAlert>;
        fn reserve_alert_numbers(wanted: &[(ProjectId, i64)]) -> Vec<AlertNumbers>;
        fn insert_alerts(alerts: &[NewAlert]) -> ();
        fn advance_alerts(progress: &[AlertProgress]) -> ();
        fn set_alert_status(change: &StatusChange) -> SetStatus;
        fn insert_receipts(receipts: &[NewReceipt]) -> ();
        fn list_refused_receipts(endpoint: IntegrationId, since: Timestamp, limit: usize) -> Vec<ReceiptId>;
        fn count_refusal(project: ProjectId, receipt: ReceiptId) -> ();
        fn insert_search_part(part: &SearchPart) -> bool;
        fn list_kept_answers(keys: &[(IntegrationId, ContentDigest)]) -> Vec<KeptAnswer>;
        fn put_kept_answers(answers: &[KeptAnswer]) -> ();
        fn delete_kept_answers(before: Timestamp, limit: usize) -> usize;
        fn insert_integration(integration: &NewIntegration) -> InsertIntegration;
        fn update_integration(
            project: ProjectId, endpoint_identifier: &str, change: IntegrationChange
        ) -> Option<Integration>;
    }
    changes SettingsRepository {
        fn lock_error_settings(project: ProjectId) -> (Locked<Settings>, bool);
        fn put_error_settings(locked: Locked<Settings>, settings: &Settings) -> ();
        fn put_external_link(
            locked: &Locked<Settings>, error: ErrorIid, issue: Option<IssueId>
        ) -> ();
        fn delete_external_links(locked: &Locked<Settings>) -> ();
        fn insert_client_key(new: &NewClientKey) -> ClientKey;
        fn update_client_key(
            project: ProjectId, id: ClientKeyId, change: ClientKeyChange
        ) -> Option<ClientKey>;
        fn delete_client_key(project: ProjectId, id: ClientKeyId) -> Option<ClientKey>;
    }
    changes ErrorRepository {
        fn lock_error(project: ProjectId, iid: ErrorIid) -> Option<Locked<TrackedError>>;
        fn update_error(error: Locked<TrackedError>, state: &ErrorState) -> TrackedError;
        fn merge_errors(from: Locked<TrackedError>, to: Locked<TrackedError>) -> TrackedError;
        fn split_error_key(error: Locked<TrackedError>, key: ErrorKeyId) -> TrackedError;
        fn delete_error(error: Locked<TrackedError>) -> ();
        fn unlink_issue(issue: IssueId) -> Option<ErrorId>;
        fn lock_error_of_issue(project: ProjectId, issue: IssueId) -> Option<Locked<TrackedError>>;
        fn delete_errors_of(project: ProjectId, limit: usize) -> usize;
    }
    changes CollectRepository {
        fn lock_errors(projects: &[ProjectId]) -> ();
        fn list_stored_events(events: &[(ProjectId, EventId)]) -> Vec<(ProjectId, EventId)>;
        fn list_known_errors(keys: &[(ProjectId, GroupKey)]) -> Vec<KnownError>;
        fn reserve_error_numbers(wanted: &[(ProjectId, i64)]) -> Vec<ErrorIid>;
        fn insert_errors(errors: &[NewError]) -> Vec<KnownError>;
        fn insert_error_users(seen: &[(ErrorKeyId, UserMark)]) -> Vec<(ErrorKeyId, UserMark)>;
        fn insert_releases(seen: &[(ProjectId, String, Timestamp)]) -> Vec<Timestamp>;
        fn find_release(project: ProjectId, release: &str) -> Option<Timestamp>;
        fn insert_error_events(events: &[NewErrorEvent<'_>]) -> ();
        fn advance_errors(progress: &[ErrorProgress]) -> ();
        fn advance_error_keys(events: &[(ErrorKeyId, i64)]) -> ();
        fn thin_error_events(key: ErrorKeyId, numbers: Range<i64>, worth: u32) -> usize;
        fn forget_error_events(key: ErrorKeyId, below: i64, limit: usize) -> usize;
        fn count_stored_events(days: &[(ProjectId, CalendarDate)]) -> Vec<i64>;
        fn delete_old_events(project: ProjectId, before: Timestamp, limit: usize) -> usize;
        fn add_error_hours(hours: &[(ErrorKeyId, HourCount)]) -> ();
        fn add_error_tags(tags: &[TagProgress]) -> ();
        fn add_tallies(tallies: &[Tally]) -> ();
        fn add_session_sums(sums: &[SessionSum]) -> ();
        fn insert_error_comments(comments: &[NewComment<'_>]) -> ();
        fn insert_attachments(files: &[NewAttachment<'_>]) -> ();
    }
    changes EnvironmentRepository {
        fn insert_environment(at: &Locked<ProjectId>, new: &NewEnvironment) -> InsertEnvironment;
        fn update_environment(
            at: &Locked<ProjectId>, id: EnvironmentId, change: &EnvironmentChange
        ) -> UpdateEnvironment;
        fn delete_environment(at: &Locked<ProjectId>, id: EnvironmentId) -> bool;
    }
    changes DeploymentRepository {
        fn insert_deployment(at: &Locked<ProjectId>, new: &NewDeployment) -> Deployment;
        fn update_deployment(at: &Locked<ProjectId>, id: DeploymentId, change: DeploymentChange) -> bool;
        fn delete_deployment(at: &Locked<ProjectId>, id: DeploymentId) -> bool;
    }
    changes PipelineRepository {
        fn lock_reports(project: ProjectId) -> Locked<ProjectId>;
        fn insert_pipeline(at: &Locked<ProjectId>, new: &NewPipeline) -> Pipeline;
        fn update_pipeline(at: &Locked<ProjectId>, id: PipelineId, change: &PipelineChange) -> bool;
        fn delete_reports_of(project: ProjectId, limit: usize) -> usize;
    }
    changes JobRepository {
        fn insert_job(at: &Locked<ProjectId>, new: &NewJob) -> Job;
        fn update_job(at: &Locked<ProjectId>, id: JobId, change: &JobChange) -> bool;
    }
    changes EventRepository {
        fn delete_events_of(project: ProjectId, limit: usize) -> usize;
        fn insert_events(events: &[NewEvent]) -> ();
        fn move_events(project: ProjectId, kind: TargetType, ids: &[i64], to: Audience) -> ();
    }
    changes UseRepository {
        fn add_uses(uses: &[Use]) -> ();
        fn delete_uses_before(last_at: Timestamp, limit: usize) -> usize;
    }
    changes ApplicationRepository {
        fn insert_application(application: &NewApplication) -> ApplicationId;
        fn update_application(id: ApplicationId, change: &ApplicationChange) -> bool;
        fn replace_secret(id: ApplicationId, secret: &SecretDigest) -> bool;
        fn delete_application(id: ApplicationId) -> bool;
    }
    changes GrantRepository {
        fn insert_authorization_request(
            handle: &SecretDigest, request: &AuthorizationRequest
        ) -> ();
        fn take_authorization_request(
            handle: &SecretDigest, session: SessionId, now: Timestamp
        ) -> Option<AuthorizationRequest>;
        fn insert_grant(grant: &NewGrant) -> GrantId;
        fn redeem_code(code: &SecretDigest, pair: &NewTokenPair, now: Timestamp) -> Redemption;
        fn lock_grants_by_code(codes: &[SecretDigest]) -> Vec<Option<Grant>>;
        fn redeem_codes(redemptions: &[CodeRedemption]) -> Vec<Redemption>;
        fn insert_pair(pair: &NewTokenPair) -> TokenPairId;
        fn rotate_pair(
            refresh: &SecretDigest, seed: RotationSeed, successor: &NewTokenPair, now: Timestamp
        ) -> Rotation;
        fn lock_families(refresh: &[SecretDigest]) -> Vec<Option<Family>>;
        fn rotate_pairs(rotations: &[PairRotation]) -> Vec<Rotation>;
        fn revoke_grant(id: GrantId, now: Timestamp) -> bool;
        fn revoke_grants_of_user(
            user: UserId, app: Option<ApplicationId>, now: Timestamp
        ) -> usize;
        fn revoke_unredeemed(session: SessionId, now: Timestamp) -> usize;
        fn delete_spent_grants(before: Timestamp, limit: usize) -> usize;
    }
    changes SigningKeyRepository {
        fn insert_signing_key(key: &NewSigningKey) -> Option<SigningKeyId>;
        fn delete_signing_keys(ids: &[SigningKeyId]) -> ();
    }
}
