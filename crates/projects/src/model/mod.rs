//! Namespaces, projects and members.

mod filter;
mod full_names;
mod membership;
mod namespace;
mod project;

pub use filter::{ProjectFilter, ProjectOrder, Viewer};
pub use full_names::FullNames;
pub use membership::{Membership, UserGroup};
pub use namespace::{MemberPlace, Namespace, NamespaceKind, NewMember, NewNamespace};
pub use project::{MAX_DESCRIPTION, MAX_NAME, NewProject, Project, RESERVED};
