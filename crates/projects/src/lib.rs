//! Where things belong.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: namespaces, projects and members; labels and milestones, which are [records].
//! * [`rules`]: what a viewer may see and do.
//! * [`flow`]: one use case per module.
//! * [`store`]: the repository traits that an adapter implements, besides those of records.
//! * [`wire`]: the JSON of projects, labels and milestones.
//!
//! # Invariants
//! * A full path is unique in any case, among groups, users' namespaces and projects together with their parents.
//! * A role counts in everything below: a member of a group has at least that role in its subgroups and projects.
//! * A project that a viewer may not see does not exist for that viewer.

pub mod flow;
pub mod model;
pub mod rules;
pub mod store;
pub mod wire;

pub use model::{
    FullNames, Label, LabelContent, LabelEdit, LabelFilter, MemberPlace, Membership, Milestone,
    MilestoneContent, MilestoneEdit, MilestoneFilter, MilestoneState, Namespace, NamespaceKind,
    NewMember, NewNamespace, NewProject, Project, ProjectFilter, ProjectOrder, UserGroup, Viewer,
};
pub use rules::access::ProjectAccess;
pub use store::{
    InsertNamespace, InsertProject, ProjectQueries, ProjectReadTx, ProjectRepository, ProjectStore,
    ProjectWriteTx,
};
