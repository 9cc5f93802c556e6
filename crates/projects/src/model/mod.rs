//! Namespaces, projects, members, labels and milestones.

mod filter;
mod full_names;
mod label;
mod membership;
mod milestone;
mod namespace;
mod project;

pub use filter::{ProjectFilter, ProjectOrder, Viewer};
pub use full_names::FullNames;
pub use label::{Label, LabelContent, LabelEdit, LabelFilter};
pub use membership::{Membership, UserGroup};
pub use milestone::{
    MAX_MILESTONE_DESCRIPTION, MAX_MILESTONE_TITLE, Milestone, MilestoneContent, MilestoneEdit,
    MilestoneFilter, MilestoneState,
};
pub use namespace::{MemberPlace, Namespace, NamespaceKind, NewMember, NewNamespace};
pub use project::{MAX_DESCRIPTION, MAX_NAME, NewProject, Project, RESERVED};
