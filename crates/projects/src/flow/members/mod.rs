//! Adding, updating and removing members, and sharing projects with groups.
//!
//! Every operation locks the place first, including the role of the caller: if two Owners remove each other at the same
//! time, the second one finds the result of the first. Every change is recorded in the [`MemberJournal`] of the same
//! transaction, so members cannot change without a trace.

mod change;
mod error;
mod expire;
mod find;
mod share;

use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Group, MemberChange, MemberScope, MemberSource, Project, ShareChange, Viewer};
use crate::store::{Locked, MemberRepository};

pub use change::{AddMember, MemberEdit, RemoveMember, add_member, remove_member, update_member};
pub use error::MemberError;
pub use expire::expire_members;
pub use find::{find_member, is_last_owner};
pub use share::{ShareProject, share_project, unshare_project};

/// Journal of member changes: the feed and the audit log of a host.
pub trait MemberJournal {
    /// Records changes of roles, in the same transaction.
    ///
    /// # Errors
    /// Failures of the store.
    fn journal_members(&mut self, changes: &[MemberChange]) -> Result<(), StoreError>;

    /// Records changes of shares, in the same transaction.
    ///
    /// # Errors
    /// Failures of the store.
    fn journal_shares(&mut self, changes: &[ShareChange]) -> Result<(), StoreError>;
}

/// A place whose members are managed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberContext {
    source: MemberSource,
    /// Namespace from which roles are inherited; `None` for a top-level group.
    above: Option<NamespaceId>,
}

impl MemberContext {
    /// The place itself.
    pub const fn source(self) -> MemberSource {
        self.source
    }

    /// The group that must keep an Owner: the place, if it is a top-level group.
    fn needs_owner(self) -> Option<NamespaceId> {
        match self.source {
            MemberSource::Namespace(id) if self.above.is_none() => Some(id),
            _ => None,
        }
    }

    const fn is_project(self) -> bool {
        matches!(self.source, MemberSource::Project(_))
    }
}

impl From<&Project> for MemberContext {
    fn from(project: &Project) -> Self {
        Self {
            source: MemberSource::Project(project.id),
            above: Some(project.namespace.id),
        }
    }
}

impl From<&Group> for MemberContext {
    fn from(group: &Group) -> Self {
        Self {
            source: MemberSource::Namespace(group.id),
            above: group.parent_id,
        }
    }
}

/// Caller of an operation, and the current time.
#[derive(Debug, Clone, Copy)]
pub struct MemberActor {
    /// Viewer.
    pub viewer: Viewer,
    /// Current time.
    pub now: Timestamp,
}

impl MemberActor {
    fn user(self) -> Option<UserId> {
        self.viewer.user_id()
    }

    /// Effective role of the caller.
    /// Administrators act as Owners.
    fn role<R>(self, repos: &mut R, source: MemberSource) -> Result<Option<AccessLevel>, StoreError>
    where
        R: MemberRepository + ?Sized,
    {
        let user = match self.viewer {
            Viewer::Anonymous => return Ok(None),
            Viewer::Administrator(_) => return Ok(Some(AccessLevel::Owner)),
            Viewer::User(user) => user,
        };
        let found = repos.find_member(source, MemberScope::All, user, self.now.date())?;
        Ok(found.map(|member| member.level))
    }
}

/// Locks a place and finds the role of the caller, which may have changed while the place was locked by others.
fn lock<R>(
    repos: &mut R,
    of: MemberContext,
    acting: MemberActor,
) -> Result<(Locked<MemberSource>, Option<AccessLevel>), MemberError>
where
    R: MemberRepository + ?Sized,
{
    let thing = if of.is_project() { "Project" } else { "Group" };
    let locked = repos.lock_members(of.source)?;
    let locked = locked.ok_or(MemberError::Unknown(thing))?;
    let role = acting.role(repos, of.source)?;
    Ok((locked, role))
}
