//! Where things belong.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: namespaces, projects, members and labels.
//! * [`rules`]: what a viewer may see and do.
//! * [`flow`]: one use case per module.
//! * [`store`]: the repository traits that an adapter implements.
//! * [`milestone_store`]: those of milestones.
//! * [`wire`]: the JSON of projects, labels and milestones.
//!
//! # Invariants
//! * A full path is unique in any case, among groups, users' namespaces and projects together with their parents.
//! * A role counts in everything below: a member of a group has at least that role in its subgroups and projects.
//! * A project that a viewer may not see does not exist for that viewer.

pub mod flow;
pub mod milestone_store;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;

pub use milestone_store::{MilestoneQueries, MilestoneRepository, SaveMilestone};
pub use model::{
    FullNames, Label, LabelEdit, LabelText, MemberPlace, Membership, Milestone, MilestoneContent,
    MilestoneEdit, MilestoneFilter, MilestoneState, Namespace, NamespaceKind, NewLabel, NewMember,
    NewMilestone, NewNamespace, NewProject, Project, ProjectFilter, ProjectOrder, UserGroup,
    Viewer,
};
pub use rules::access::ProjectAccess;
pub use store::{
    InsertLabel, InsertNamespace, InsertProject, LabelQueries, LabelRepository, ProjectQueries,
    ProjectReadTx, ProjectRepository, ProjectStore, ProjectWriteTx,
};
