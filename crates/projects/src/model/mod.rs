//! Namespaces, projects and members.

mod filter;
mod membership;
mod namespace;
mod project;

pub use filter::{ProjectFilter, ProjectOrder, Reader};
pub use membership::{Membership, UserGroup};
pub use namespace::{MemberPlace, Namespace, NamespaceKind, NewMember, NewNamespace};
pub use project::{NewProject, Project};
