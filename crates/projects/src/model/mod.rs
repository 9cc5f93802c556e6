//! Namespaces, groups, projects, members, labels, milestones, issues, notes and snippets.

mod deletion;
mod filter;
mod full_names;
mod group;
mod image_cleanup;
mod image_repository;
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
mod snippet;
mod spam;

pub use deletion::{DeletionTarget, ScheduledDeletion};
pub use filter::{ProjectFilter, ProjectOrder, ProjectsWithin, Viewer};
pub use full_names::FullNames;
pub use group::{
    Group, GroupContent, GroupEdit, GroupFilter, GroupMembership, GroupOrder, GroupsWithin,
    MAX_DEPTH, MAX_GROUP_DESCRIPTION, ProjectCreation, SubgroupCreation,
};
pub use image_cleanup::{ImageCleanup, ImageSelection, TagRule};
pub use image_repository::{ImageName, ImageRepository, NewImageRepository};
pub use issue::{
    AttributeFilter, Closing, DueFilter, Issue, IssueBody, IssueContent, IssueContentEdit,
    IssueCounters, IssueCounts, IssueFilter, IssueKind, IssueOrder, IssueScope, IssueSeverity,
    IssueState, MAX_ISSUE_DESCRIPTION, MAX_ISSUE_TITLE, NewIssue, NotFilter, OpenIssues, SearchIn,
    TaskCount, tasks,
};
pub use label::{Label, LabelContent, LabelEdit, LabelFilter};
pub use member::{
    Member, MemberFilter, MemberScope, MemberSource, NewMember, NewShare, ProjectShare, UserRole,
    UserRoleFilter,
};
pub use member_change::{MemberAction, MemberChange, ShareAction, ShareChange};
pub use membership::{Membership, UserGroup};
pub use milestone::{
    MAX_MILESTONE_DESCRIPTION, MAX_MILESTONE_TITLE, MilestoneContent, MilestoneEdit,
    MilestoneFilter, MilestoneState, ProjectMilestone,
};
pub use namespace::{Namespace, NamespaceFilter, NamespaceKind, NewNamespace};
pub use note::{
    MAX_NOTE_BODY, NewNote, NoteActivity, NoteFilter, NoteOrder, Noteable, NoteableKind,
    ResourceNote,
};
pub use project::{
    MAX_DESCRIPTION, MAX_NAME, MAX_TOPICS, NewProject, Project, ProjectContent, ProjectEdit,
    RESERVED,
};
pub use settings::{
    ACCESS_LEVELS, GroupSettingTable, GroupSettings, ProjectSettingTable, ProjectSettings, Setting,
    SettingDefault, SettingKind, SettingTable, SettingValues,
};
pub use snippet::{
    FileChange, MAX_FILE_PATH, MAX_FILES, MAX_SNIPPET_BYTES, MAX_SNIPPET_DESCRIPTION,
    MAX_SNIPPET_TITLE, NewSnippet, Snippet, SnippetContent, SnippetDraft, SnippetEdit, SnippetFile,
    SnippetFilter, SnippetPlace, SnippetScope,
};
pub use spam::{
    MAX_HELD, MAX_SPAM_EXCERPT, MAX_SPAM_LOGS, MAX_SPAM_TITLE, NewSpamLog, SpamLog, SpamReason,
    Submission, SubmissionDigest, SubmissionTarget,
};
