//! Namespaces, groups, projects, members, labels, milestones, issues and notes.

mod deletion;
mod filter;
mod full_names;
mod group;
mod issue;
mod label;
mod member;
mod member_change;
mod membership;
mod milestone;
mod namespace;
mod note;
mod project;
mod settings;
mod spam;

pub use deletion::{Deletion, Doomed};
pub use filter::{ProjectFilter, ProjectOrder, ProjectsWithin, Viewer};
pub use full_names::FullNames;
pub use group::{
    Group, GroupContent, GroupEdit, GroupFilter, GroupMembership, GroupOrder, GroupsWithin,
    MAX_DEPTH, MAX_GROUP_DESCRIPTION, ProjectCreation, SubgroupCreation,
};
pub use issue::{
    Closing, DueFilter, Issue, IssueBody, IssueContent, IssueContentEdit, IssueCounts, IssueFilter,
    IssueKind, IssueOrder, IssuePlace, IssueSeverity, IssueState, IssueTally,
    MAX_ISSUE_DESCRIPTION, MAX_ISSUE_TITLE, NewIssue, NotFilter, OpenIssues, SearchIn, TaskCount,
    Wanted, tasks,
};
pub use label::{Label, LabelContent, LabelEdit, LabelFilter};
pub use member::{
    Member, MemberFilter, MemberPlace, MemberScope, NewMember, NewShare, ProjectShare,
};
pub use member_change::{MemberAction, MemberChange, ShareAction, ShareChange};
pub use membership::{Membership, UserGroup};
pub use milestone::{
    MAX_MILESTONE_DESCRIPTION, MAX_MILESTONE_TITLE, Milestone, MilestoneContent, MilestoneEdit,
    MilestoneFilter, MilestoneState,
};
pub use namespace::{Namespace, NamespaceFilter, NamespaceKind, NewNamespace};
pub use note::{
    MAX_NOTE_BODY, NewNote, Note, NoteActivity, NoteFilter, NoteOrder, Noteable, NoteableKind,
};
pub use project::{
    MAX_DESCRIPTION, MAX_NAME, MAX_TOPICS, NewProject, Project, ProjectContent, ProjectEdit,
    RESERVED,
};
pub use settings::{
    ACCESS_LEVELS, GroupSettings, OfGroups, OfProjects, ProjectSettings, Setting, SettingDefault,
    SettingKind, SettingTable, Settings,
};
pub use spam::{
    MAX_HELD, MAX_SPAM_EXCERPT, MAX_SPAM_LOGS, MAX_SPAM_TITLE, NewSpamLog, SpamLog, SpamReason,
    Submission, SubmissionDigest,
};
