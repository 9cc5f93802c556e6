//! Giving, changing and taking away roles, and sharing projects with groups.
//!
//! A place is locked before anything is decided, the role of the one who acts included: of two who take each other's role
//! away at the same time the second finds what the first did. What is done is written into the [`MemberJournal`] of the
//! transaction, so there is no way to change members that leaves no trace.

mod change;
mod error;
mod expire;
mod find;
mod share;

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Group, MemberChange, MemberPlace, MemberScope, Project, ShareChange, Viewer};
use crate::store::{Locked, MemberRepository};

pub use change::{AddMember, MemberEdit, RemoveMember, add_member, remove_member, update_member};
pub use error::MemberError;
pub use expire::expire_members;
pub use find::{find_member, is_last_owner};
pub use share::{ShareProject, share_project, unshare_project};

/// Where changes of members are written down: the feed and the audit log of a host.
pub trait MemberJournal {
    /// Writes down what was done to roles, in the transaction in which it was done.
    ///
    /// # Errors
    /// Failures of the store.
    fn journal_members(&mut self, changes: &[MemberChange]) -> Result<(), StoreError>;

    /// Writes down what was done to shares, in the transaction in which it was done.
    ///
    /// # Errors
    /// Failures of the store.
    fn journal_shares(&mut self, changes: &[ShareChange]) -> Result<(), StoreError>;
}

/// A place, as its members are managed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MembersOf {
    place: MemberPlace,
    /// The namespace from which roles are inherited; none above a group that is in no other.
    above: Option<NamespaceId>,
}

impl MembersOf {
    /// The place itself.
    pub const fn place(self) -> MemberPlace {
        self.place
    }

    /// The group that must keep an Owner, where the place is one.
    fn needs_owner(self) -> Option<NamespaceId> {
        match self.place {
            MemberPlace::Namespace(id) if self.above.is_none() => Some(id),
            _ => None,
        }
    }

    const fn is_project(self) -> bool {
        matches!(self.place, MemberPlace::Project(_))
    }
}

impl From<&Project> for MembersOf {
    fn from(project: &Project) -> Self {
        Self {
            place: MemberPlace::Project(project.id),
            above: Some(project.namespace.id),
        }
    }
}

impl From<&Group> for MembersOf {
    fn from(group: &Group) -> Self {
        Self {
            place: MemberPlace::Namespace(group.id),
            above: group.parent_id,
        }
    }
}

/// Who acts, and when.
#[derive(Debug, Clone, Copy)]
pub struct Acting {
    /// Who.
    pub viewer: Viewer,
    /// Now.
    pub now: Timestamp,
}

impl Acting {
    fn user(self) -> Option<UserId> {
        self.viewer.user_id()
    }

    /// The role that counts of the one who acts. Administrators act as Owners.
    fn role<R>(self, repos: &mut R, place: MemberPlace) -> Result<Option<AccessLevel>, StoreError>
    where
        R: MemberRepository + ?Sized,
    {
        let user = match self.viewer {
            Viewer::Anonymous => return Ok(None),
            Viewer::Administrator(_) => return Ok(Some(AccessLevel::Owner)),
            Viewer::User(user) => user,
        };
        let found = repos.find_member(place, MemberScope::All, user, self.now.date())?;
        Ok(found.map(|member| member.level))
    }
}

/// Locks a place and finds the role of the one who acts, which may have changed while others had it locked.
fn lock<R>(
    repos: &mut R,
    of: MembersOf,
    acting: Acting,
) -> Result<(Locked<MemberPlace>, Option<AccessLevel>), MemberError>
where
    R: MemberRepository + ?Sized,
{
    let thing = if of.is_project() { "Project" } else { "Group" };
    let locked = repos.lock_members(of.place)?;
    let locked = locked.ok_or(MemberError::Unknown(thing))?;
    let role = acting.role(repos, of.place)?;
    Ok((locked, role))
}
