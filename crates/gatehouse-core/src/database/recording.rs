//! The transaction that records what is taken away in it.
//!
//! Every change that a repository offers stands here with what it ends. A method that is added to a repository does not
//! compile before somebody has said that here, too.

use std::collections::BTreeSet;

use accounts::password::PasswordHash;
use accounts::{
    AccessToken, AccountQueries, AccountRepository, AuditEntity, AuditEntry, AuditQueries,
    AuditRepository, CredentialQueries, CredentialRepository, Credentials, Failures, InsertUser,
    NewAuditEntry, NewSession, NewToken, NewUser, Revocation, Revoked, Session, SessionQueries,
    SessionRepository, User, UserFilter, UserKind, UserState,
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
    AlertIid, ApplicationId, AuditEntryId, DeletionId, GrantId, IntegrationId, IssueId, IssueIid,
    LabelId, MilestoneId, NamespaceId, NoteId, ProjectId, SessionId, SigningKeyId, TokenId,
    TokenPairId, UserId,
};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
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
use projects::{
    CancelDeletion, Deletion, DeletionQueries, DeletionRepository, Doomed, FullNames, Group,
    GroupContent, GroupFilter, GroupMembership, GroupQueries, GroupRepository, InsertNamespace,
    InsertProject, Issue, IssueBody, IssueCounts, IssueFilter, IssueQueries, IssueRepository,
    Label, Locked, LockedIssue, LockedMembers, Member, MemberFilter, MemberPlace, MemberQueries,
    MemberRepository, MemberScope, Membership, Milestone, Moved, Namespace, NamespaceFilter,
    NewDeletion, NewIssue, NewMember, NewNamespace, NewNote, NewProject, NewShare, Note,
    NoteFilter, NoteQueries, NoteRepository, Noteable, OpenIssues, Project, ProjectChange,
    ProjectFilter, ProjectQueries, ProjectRepository, ProjectShare, SaveGroup, SaveProject,
    UserGroup,
};
use storage::StoreError;

use super::WriteTransaction;

/// A write transaction that records what is taken away in it.
pub(super) struct Recording<'t> {
    tx: &'t mut (dyn WriteTransaction + 't),
    /// What every process is to learn.
    everywhere: BTreeSet<Revoked>,
    /// What this process is to learn. The others find it out by the age of their entries.
    here: BTreeSet<Revoked>,
}

/// A read transaction of known size, for the suites of the storage contract.
#[cfg(test)]
pub(super) struct Looking<'t>(&'t mut (dyn super::ReadTransaction + 't));

#[cfg(test)]
impl<'t> Looking<'t> {
    /// It hands everything on.
    pub(super) fn over(tx: &'t mut (dyn super::ReadTransaction + 't)) -> Self {
        Self(tx)
    }

    /// The transaction that looks.
    pub(super) fn inner(&mut self) -> &mut (dyn super::ReadTransaction + 't) {
        self.0
    }
}

/// Something that a change took away.
enum End {
    /// To be told to every process.
    Everywhere(Revoked),
    /// Pairs that followed from this grant. That happens with every refresh, and the tokens of applications are kept for
    /// a second only, so other processes are not told.
    Pairs(GrantId),
}

impl<'t> Recording<'t> {
    /// Nothing is taken away yet.
    pub(super) fn over(tx: &'t mut (dyn WriteTransaction + 't)) -> Self {
        Self {
            tx,
            everywhere: BTreeSet::new(),
            here: BTreeSet::new(),
        }
    }

    /// Raises the authentication epoch, if something was taken away. It is the last thing in the transaction: all who do
    /// so wait for each other there. Gives what this process has to note after the commit.
    pub(super) fn settle(mut self) -> Result<Vec<Revoked>, StoreError> {
        let ended = self.everywhere.union(&self.here).copied().collect();
        let everywhere: Vec<Revoked> = std::mem::take(&mut self.everywhere).into_iter().collect();
        if !everywhere.is_empty() {
            self.tx.raise_auth_epoch(&everywhere)?;
        }
        Ok(ended)
    }

    /// The same for grouped work. The end of a grant does not raise the epoch there: other work in the same transaction
    /// may have to wait for rows yet, and other processes take its tokens for a second at most.
    pub(super) fn settle_group(mut self) -> Result<Vec<Revoked>, StoreError> {
        let is_grant = |revoked: &Revoked| matches!(revoked, Revoked::Grant(_));
        let (grants, others) = std::mem::take(&mut self.everywhere)
            .into_iter()
            .partition(is_grant);
        self.everywhere = others;
        self.here.extend::<BTreeSet<Revoked>>(grants);
        self.settle()
    }

    /// The transaction inside, past the record. It is for changes that end nothing.
    pub(super) fn inner(&mut self) -> &mut (dyn WriteTransaction + 't) {
        self.tx
    }

    fn record(&mut self, ends: impl IntoIterator<Item = End>) {
        for end in ends {
            match end {
                End::Everywhere(revoked) => self.everywhere.insert(revoked),
                End::Pairs(grant) => self.here.insert(Revoked::Grant(grant)),
            };
        }
    }
}

/// What a change ended.
fn ends_of<T: ?Sized, I>(outcome: &T, ends: impl FnOnce(&T) -> I) -> I {
    ends(outcome)
}

/// The change ends nothing that is remembered, or nothing that time has not ended already.
fn nothing<T: ?Sized>(_: &T) -> Option<End> {
    None
}

/// The change ends this, if it was done.
fn if_done(done: bool, revoked: Revoked) -> Option<End> {
    done.then_some(End::Everywhere(revoked))
}

/// Implements the traits of queries by handing on, and those of changes by handing on and recording what they end.
macro_rules! recorded {
    (
        $( queries $queries:ident { $( fn $query:ident($($q:ident: $q_type:ty),* $(,)?) -> $q_gives:ty; )+ } )+
        $( changes $changes:ident {
            $( fn $change:ident($($c:ident: $c_type:ty),* $(,)?) -> $c_gives:ty, ends $ends:expr; )+
        } )+
    ) => {
        $( impl $queries for Recording<'_> {
            $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                self.tx.$query($($q),*)
            } )+
        } )+

        $( #[cfg(test)]
        impl $queries for Looking<'_> {
            $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                self.0.$query($($q),*)
            } )+
        } )+

        $( impl $changes for Recording<'_> {
            $( fn $change(&mut self, $($c: $c_type),*) -> Result<$c_gives, StoreError> {
                let outcome = self.tx.$change($($c),*)?;
                self.record(ends_of(&outcome, $ends));
                Ok(outcome)
            } )+
        } )+
    };
}

impl AccountRepository for Recording<'_> {
    fn insert_user(&mut self, user: &NewUser) -> Result<InsertUser, StoreError> {
        self.tx.insert_user(user)
    }

    fn insert_token(&mut self, token: &NewToken) -> Result<TokenId, StoreError> {
        self.tx.insert_token(token)
    }

    fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<bool, StoreError> {
        let done = self.tx.revoke_token(id, at)?;
        self.record(if_done(done, Revoked::Token(id)));
        Ok(done)
    }

    fn touch_tokens(&mut self, used: &[(TokenId, Timestamp)]) -> Result<(), StoreError> {
        self.tx.touch_tokens(used)
    }

    /// Raises it for what was taken away until now, too, so that once is enough.
    fn raise_auth_epoch(&mut self, revoked: &[Revoked]) -> Result<i64, StoreError> {
        let mut all = std::mem::take(&mut self.everywhere);
        all.extend(revoked);
        self.here.extend(&all);
        let all: Vec<Revoked> = all.into_iter().collect();
        self.tx.raise_auth_epoch(&all)
    }

    fn forget_revocations_through(&mut self, epoch: i64) -> Result<usize, StoreError> {
        self.tx.forget_revocations_through(epoch)
    }
}

recorded! {
    queries AccountQueries {
        fn find_user(id: UserId) -> Option<User>;
        fn find_user_by_username(username: &str) -> Option<User>;
        fn list_users_by_id(ids: &[UserId]) -> Vec<User>;
        fn list_users_by_username(usernames: &[&str]) -> Vec<User>;
        fn list_users(filter: &UserFilter, page: OffsetPage) -> Page<User>;
        fn find_bot(kind: UserKind) -> Option<User>;
        fn find_token_by_digest(digest: &SecretDigest) -> Option<AccessToken>;
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
        fn find_project(reference: &ProjectRef) -> Option<Project>;
        fn find_membership(user: UserId, project: ProjectId, today: CalendarDate) -> Membership;
        fn list_full_names(namespaces: &[NamespaceId]) -> FullNames;
        fn find_moved(path: &FullPath) -> Option<Moved>;
        fn list_projects_by_id(ids: &[ProjectId]) -> Vec<Project>;
        fn list_groups_of_user(user: UserId, today: CalendarDate) -> Vec<UserGroup>;
        fn list_projects(filter: &ProjectFilter, today: CalendarDate, page: OffsetPage) -> Page<Project>;
        fn list_projects_by_key(
            filter: &ProjectFilter, today: CalendarDate, page: KeysetPage,
        ) -> Stretch<Project>;
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
            filter: &IssueFilter, labels: &[LabelId], today: CalendarDate,
        ) -> Vec<(LabelId, IssueCounts)>;
        fn count_open_issues(projects: &[ProjectId]) -> Vec<(ProjectId, OpenIssues)>;
        fn list_labels_by_id(ids: &[LabelId]) -> Vec<Label>;
        fn list_labels_by_title(project: ProjectId, titles: &[String]) -> Vec<Label>;
        fn list_milestones_by_id(ids: &[MilestoneId]) -> Vec<Milestone>;
    }
    queries NoteQueries {
        fn find_note(on: Noteable, id: NoteId) -> Option<Note>;
        fn list_notes_by_id(ids: &[NoteId]) -> Vec<Note>;
        fn list_notes(filter: &NoteFilter, page: OffsetPage) -> Page<Note>;
        fn list_comment_ids(
            on: Noteable, sees_internal: bool, after: NoteId, limit: usize,
        ) -> Vec<NoteId>;
    }
    queries AlertQueries {
        fn find_alert(project: ProjectId, iid: AlertIid) -> Option<Alert>;
        fn list_alerts(filter: &AlertFilter, page: OffsetPage) -> Page<AlertSummary>;
        fn find_integration(project: ProjectId, endpoint_identifier: &str) -> Option<Integration>;
        fn list_receipts(project: ProjectId, page: OffsetPage) -> Page<Receipt>;
        fn find_search_part() -> Option<SearchPart>;
    }
    queries EventQueries {
        fn list_project_events(filter: &EventFilter, page: OffsetPage) -> Page<Event>;
        fn list_author_events(filter: &AuthorFilter, limit: usize) -> Vec<AuthoredEvent>;
    }
    queries ApplicationQueries {
        fn find_application(id: ApplicationId) -> Option<Application>;
        fn find_application_by_uid(uid: &ApplicationUid) -> Option<Application>;
        fn list_applications(owner: ApplicationOwner, page: OffsetPage) -> Page<Application>;
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
    changes CredentialRepository {
        fn lock_user(id: UserId) -> bool, ends nothing;
        fn set_password(id: UserId, password: &PasswordHash) -> bool,
            ends |done| if_done(*done, Revoked::User(id));
        fn set_user_state(id: UserId, state: UserState) -> bool,
            ends |done| if_done(*done, Revoked::User(id));
        fn put_second_factor(
            id: UserId, sealed: &[u8], last_step: i64, codes: &[SecretDigest], now: Timestamp,
        ) -> bool, ends |done| if_done(*done, Revoked::User(id));
        fn delete_second_factor(id: UserId) -> bool,
            ends |done| if_done(*done, Revoked::User(id));
        fn take_time_step(id: UserId, step: i64) -> bool, ends nothing;
        fn take_recovery_code(id: UserId, code: &SecretDigest) -> bool, ends nothing;
        fn replace_recovery_codes(id: UserId, codes: &[SecretDigest]) -> bool, ends nothing;
        fn count_failure(key: &SecretDigest, window: i64, now: Timestamp) -> Failures, ends nothing;
        fn forget_failures(key: &SecretDigest) -> (), ends nothing;
        fn delete_old_failures(before: Timestamp) -> usize, ends nothing;
    }
    changes SessionRepository {
        fn insert_session(session: &NewSession) -> SessionId, ends nothing;
        fn renew_session(id: SessionId, digest: &SecretDigest, now: Timestamp) -> bool,
            ends |done| if_done(*done, Revoked::Session(id));
        fn lock_session(id: SessionId) -> bool, ends nothing;
        fn touch_sessions(used: &[(SessionId, Timestamp)]) -> (), ends nothing;
        fn delete_session(id: SessionId) -> bool,
            ends |done| if_done(*done, Revoked::Session(id));
        fn delete_sessions_of(user: UserId, except: Option<SessionId>) -> usize,
            ends |count| if_done(*count > 0, Revoked::User(user));
        fn delete_ended_sessions(before: Timestamp, unused_since: Timestamp, limit: usize) -> usize,
            ends nothing;
    }
    changes AuditRepository {
        fn insert_audit_entries(entries: &[NewAuditEntry]) -> (), ends nothing;
    }
    changes ProjectRepository {
        fn insert_namespace(namespace: &NewNamespace) -> InsertNamespace, ends nothing;
        fn insert_project(project: &NewProject) -> InsertProject, ends nothing;
        fn lock_project(project: ProjectId, others: &[NamespaceId]) -> Option<Locked<Project>>, ends nothing;
        fn update_project(project: Locked<Project>, change: &ProjectChange, now: Timestamp) -> SaveProject, ends |saved| if_done(matches!(saved, SaveProject::Saved(_)), Revoked::Paths);
        fn touch_projects(timestamps: &[(ProjectId, Timestamp)]) -> (), ends nothing;
    }
    changes DeletionRepository {
        fn doom_project(project: Locked<Project>, new: &NewDeletion) -> Deletion, ends |_| if_done(true, Revoked::Paths);
        fn doom_group(group: Locked<Group>, new: &NewDeletion) -> Deletion, ends |_| if_done(true, Revoked::Paths);
        fn cancel_deletion(id: DeletionId) -> CancelDeletion, ends nothing;
        fn start_deletion(id: DeletionId, now: Timestamp) -> bool, ends nothing;
        fn delete_rows_of_project(project: ProjectId, limit: usize) -> usize, ends nothing;
        fn delete_groups_of(deletion: DeletionId, limit: usize) -> usize, ends nothing;
    }
    changes GroupRepository {
        fn lock_group(group: NamespaceId, others: &[NamespaceId]) -> Option<Locked<Group>>, ends nothing;
        fn update_group(
            group: Locked<Group>, content: &GroupContent, parent: Option<&Namespace>, now: Timestamp
        ) -> SaveGroup, ends |saved| if_done(matches!(saved, SaveGroup::Saved(_)), Revoked::Paths);
    }
    changes MemberRepository {
        fn lock_members(place: MemberPlace) -> Option<LockedMembers>, ends nothing;
        fn put_member(place: &LockedMembers, member: &NewMember) -> (), ends nothing;
        fn remove_member(place: &LockedMembers, user: UserId) -> Option<Member>, ends nothing;
        fn remove_members_below(place: &LockedMembers, user: UserId) -> Vec<Member>, ends nothing;
        fn insert_share(project: &LockedMembers, share: &NewShare) -> Option<ProjectShare>, ends nothing;
        fn remove_share(project: &LockedMembers, group: NamespaceId) -> Option<ProjectShare>, ends nothing;
        fn take_expired_members(today: CalendarDate, limit: usize) -> Vec<Member>, ends nothing;
        fn take_expired_shares(today: CalendarDate, limit: usize) -> Vec<ProjectShare>, ends nothing;
    }
    changes IssueRepository {
        fn lock_issues(project: ProjectId) -> bool, ends nothing;
        fn insert_issue(new: &NewIssue) -> Issue, ends nothing;
        fn lock_issue(project: ProjectId, iid: IssueIid) -> Option<LockedIssue>, ends nothing;
        fn update_issue(issue: LockedIssue, body: IssueBody, now: Timestamp) -> Issue, ends nothing;
        fn delete_issue(issue: LockedIssue) -> Issue, ends nothing;
    }
    changes NoteRepository {
        fn insert_notes(new: &[NewNote]) -> Vec<Note>, ends nothing;
        fn update_note(on: Noteable, id: NoteId, body: &str, now: Timestamp) -> bool, ends nothing;
        fn delete_note(on: Noteable, id: NoteId) -> bool, ends nothing;
    }
    changes AlertRepository {
        fn delete_alerts_of(project: ProjectId, limit: usize) -> usize, ends nothing;
        fn lock_alerts(projects: &[ProjectId]) -> (), ends nothing;
        fn list_latest_by_identity(identities: &[(ProjectId, AlertIdentity)]) -> Vec<KnownAlert>,
            ends nothing;
        fn reserve_alert_numbers(wanted: &[(ProjectId, i64)]) -> Vec<AlertNumbers>, ends nothing;
        fn insert_alerts(alerts: &[NewAlert]) -> (), ends nothing;
        fn advance_alerts(progress: &[AlertProgress]) -> (), ends nothing;
        fn set_alert_status(change: &StatusChange) -> SetStatus, ends nothing;
        fn insert_receipts(receipts: &[NewReceipt]) -> (), ends nothing;
        fn insert_search_part(part: &SearchPart) -> bool, ends nothing;
        fn list_kept_answers(keys: &[(IntegrationId, ContentDigest)]) -> Vec<KeptAnswer>,
            ends nothing;
        fn put_kept_answers(answers: &[KeptAnswer]) -> (), ends nothing;
        fn delete_kept_answers(before: Timestamp, limit: usize) -> usize, ends nothing;
        fn insert_integration(integration: &NewIntegration) -> InsertIntegration, ends nothing;
        fn update_integration(
            project: ProjectId, endpoint_identifier: &str, change: IntegrationChange,
        ) -> Option<Integration>, ends |found| {
            found.as_ref().map(|found| End::Everywhere(Revoked::Endpoint(found.id)))
        };
    }
    changes EventRepository {
        fn delete_events_of(project: ProjectId, limit: usize) -> usize, ends nothing;
        fn insert_events(events: &[NewEvent]) -> (), ends nothing;
        fn move_events(project: ProjectId, kind: TargetType, ids: &[i64], to: Audience) -> (), ends nothing;
    }
    changes ApplicationRepository {
        fn insert_application(application: &NewApplication) -> ApplicationId, ends nothing;
        fn update_application(id: ApplicationId, change: &ApplicationChange) -> bool,
            ends |done| if_done(*done, Revoked::Application(id));
        fn replace_secret(id: ApplicationId, secret: &SecretDigest) -> bool,
            ends |done| if_done(*done, Revoked::Application(id));
        fn delete_application(id: ApplicationId) -> bool,
            ends |done| if_done(*done, Revoked::Application(id));
    }
    changes GrantRepository {
        fn insert_authorization_request(
            handle: &SecretDigest, request: &AuthorizationRequest,
        ) -> (), ends nothing;
        fn take_authorization_request(
            handle: &SecretDigest, session: SessionId, now: Timestamp,
        ) -> Option<AuthorizationRequest>, ends nothing;
        fn insert_grant(grant: &NewGrant) -> GrantId, ends nothing;
        fn redeem_code(code: &SecretDigest, pair: &NewTokenPair, now: Timestamp) -> Redemption,
            ends nothing;
        fn lock_grants_by_code(codes: &[SecretDigest]) -> Vec<Option<Grant>>, ends nothing;
        fn redeem_codes(redemptions: &[CodeRedemption]) -> Vec<Redemption>, ends nothing;
        fn insert_pair(pair: &NewTokenPair) -> TokenPairId, ends nothing;
        fn rotate_pair(
            refresh: &SecretDigest, seed: RotationSeed, successor: &NewTokenPair, now: Timestamp,
        ) -> Rotation, ends |rotation| replaced(rotation, successor.grant_id);
        fn lock_families(refresh: &[SecretDigest]) -> Vec<Option<Family>>, ends nothing;
        fn rotate_pairs(rotations: &[PairRotation]) -> Vec<Rotation>, ends |outcomes| {
            let rotations = outcomes.iter().zip(rotations);
            let ends = rotations.filter_map(|(outcome, asked)| {
                replaced(outcome, asked.successor.grant_id)
            });
            ends.collect::<Vec<_>>()
        };
        fn revoke_grant(id: GrantId, now: Timestamp) -> bool,
            ends |done| if_done(*done, Revoked::Grant(id));
        fn revoke_grants_of_user(user: UserId, app: Option<ApplicationId>, now: Timestamp) -> usize,
            ends |count| if_done(*count > 0, Revoked::User(user));
        // Only grants whose codes were not redeemed: no token follows from them yet.
        fn revoke_unredeemed(session: SessionId, now: Timestamp) -> usize, ends nothing;
        fn delete_spent_grants(before: Timestamp, limit: usize) -> usize, ends nothing;
    }
    changes SigningKeyRepository {
        fn insert_signing_key(key: &NewSigningKey) -> Option<SigningKeyId>, ends nothing;
        fn delete_signing_keys(ids: &[SigningKeyId]) -> (), ends nothing;
    }
}

/// The pair that was replaced, if one was.
fn replaced(rotation: &Rotation, grant: GrantId) -> Option<End> {
    match rotation {
        Rotation::Rotated(_) => Some(End::Pairs(grant)),
        Rotation::NotCurrent(_) | Rotation::Unknown => None,
    }
}
