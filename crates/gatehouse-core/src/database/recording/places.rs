//! Namespaces, groups, projects, deletions, members, issues and notes.

use accounts::Revoked;
use api_conventions::access::Visibility;
use api_conventions::ids::{
    DeletionId, IssueId, IssueIid, LabelId, MilestoneId, NamespaceId, NoteId, ProjectId, SpamLogId,
    UserId,
};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use projects::{
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
use storage::StoreError;

#[cfg(test)]
use super::Looking;
use super::{Recording, ends_of, if_done, nothing, recorded};

recorded! {
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
    queries SpamQueries {
        fn find_spam_log(id: SpamLogId) -> Option<SpamLog>;
        fn list_spam_logs(limit: usize) -> Vec<SpamLog>;
    }
    queries NoteQueries {
        fn find_note(on: Noteable, id: NoteId) -> Option<Note>;
        fn list_notes_by_id(ids: &[NoteId]) -> Vec<Note>;
        fn list_notes(filter: &NoteFilter, page: OffsetPage) -> Page<Note>;
        fn list_comment_ids(
            on: Noteable, sees_internal: bool, after: NoteId, limit: usize,
        ) -> Vec<NoteId>;
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
        fn skip_issue_numbers(project: ProjectId, through: IssueIid) -> (), ends nothing;
        fn lock_issue(project: ProjectId, iid: IssueIid) -> Option<LockedIssue>, ends nothing;
        fn update_issue(issue: LockedIssue, body: IssueBody, now: Timestamp) -> Issue, ends nothing;
        fn delete_issue(issue: LockedIssue) -> Issue, ends nothing;
    }
    changes SpamRepository {
        fn hold_as_spam(new: &NewSpamLog) -> SpamLog, ends nothing;
        fn trim_spam_logs(user: UserId, keep: usize) -> usize, ends nothing;
        fn note_solved(id: SpamLogId, at: Timestamp) -> bool, ends nothing;
        fn delete_spam_logs_before(last_at: Timestamp, limit: usize) -> usize, ends nothing;
    }
    changes NoteRepository {
        fn insert_notes(new: &[NewNote]) -> Vec<Note>, ends nothing;
        fn update_note(on: Noteable, id: NoteId, body: &str, now: Timestamp) -> bool, ends nothing;
        fn delete_note(on: Noteable, id: NoteId) -> bool, ends nothing;
    }
}
