//! Groups, projects and their members, with the labels, milestones, issues, notes and snippets of projects.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: namespaces, projects and members; labels and milestones, which are [records].
//! * [`rules`]: the permissions of a viewer, and other pure rules.
//! * [`flow`]: one use case per module.
//! * [`store`]: the repository traits that an adapter implements, besides those of records.
//! * [`wire`]: the JSON of projects, labels and milestones.
#![cfg_attr(
    feature = "archive",
    doc = "* [`archive`]: projects as files, in which they go from one server to another."
)]
//!
//! # Invariants
//! * A full path is unique regardless of case, among groups, users' namespaces and projects including their parents.
//! * Roles are inherited: a member of a group has at least that role in its subgroups and projects.
//! * A project that a viewer may not see does not exist for that viewer.

#[cfg(feature = "archive")]
pub mod archive;
pub mod flow;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;

pub use model::{
    AttributeFilter, Closing, DeletionTarget, DueFilter, FileChange, FullNames, Group,
    GroupContent, GroupEdit, GroupFilter, GroupMembership, GroupOrder, GroupSettings, GroupsWithin,
    ImageCleanup, ImageName, ImageRepository, ImageSelection, Issue, IssueBody, IssueContent,
    IssueContentEdit, IssueCounters, IssueCounts, IssueFilter, IssueKind, IssueOrder, IssueScope,
    IssueSeverity, IssueState, Label, LabelContent, LabelEdit, LabelFilter, Member, MemberAction,
    MemberChange, MemberFilter, MemberScope, MemberSource, Membership, MilestoneContent,
    MilestoneEdit, MilestoneFilter, MilestoneState, Namespace, NamespaceFilter, NamespaceKind,
    NewImageRepository, NewIssue, NewMember, NewNamespace, NewNote, NewProject, NewShare,
    NewSnippet, NewSpamLog, NotFilter, NoteActivity, NoteFilter, NoteOrder, Noteable, NoteableKind,
    OpenIssues, Project, ProjectContent, ProjectCreation, ProjectEdit, ProjectFilter,
    ProjectMilestone, ProjectOrder, ProjectSettings, ProjectShare, ProjectsWithin, ResourceNote,
    ScheduledDeletion, SearchIn, ShareAction, ShareChange, Snippet, SnippetContent, SnippetDraft,
    SnippetEdit, SnippetFile, SnippetFilter, SnippetPlace, SnippetScope, SpamLog, SpamReason,
    SubgroupCreation, Submission, SubmissionDigest, SubmissionTarget, TagRule, TaskCount,
    UserGroup, UserRole, UserRoleFilter, Viewer,
};
pub use rules::access::ProjectAccess;
pub use rules::group_access::GroupAccess;
pub use store::{
    CancelDeletion, DeletionQueries, DeletionQueriesWrapper, DeletionRepository,
    DeletionRepositoryWrapper, GroupQueries, GroupQueriesWrapper, GroupRepository,
    GroupRepositoryWrapper, ImageQueries, ImageQueriesWrapper, ImageRepositories,
    ImageRepositoriesWrapper, InsertNamespace, InsertProject, IssueQueries, IssueQueriesWrapper,
    IssueRepository, IssueRepositoryWrapper, Locked, MemberQueries, MemberQueriesWrapper,
    MemberRepository, MemberRepositoryWrapper, NewDeletion, NoteQueries, NoteQueriesWrapper,
    NoteRepository, NoteRepositoryWrapper, ProjectChange, ProjectQueries, ProjectQueriesWrapper,
    ProjectReadTx, ProjectRepository, ProjectRepositoryWrapper, ProjectStore, ProjectWriteTx,
    RedirectTarget, SaveGroup, SaveProject, SnippetQueries, SnippetQueriesWrapper,
    SnippetRepository, SnippetRepositoryWrapper, SpamQueries, SpamQueriesWrapper, SpamRepository,
    SpamRepositoryWrapper,
};
