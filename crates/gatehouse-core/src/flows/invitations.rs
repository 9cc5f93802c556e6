//! Registration by invitation.

use accounts::flow::invitations::{InvitationActor, record_invitation};
use accounts::flow::sessions::{Browser, start_session};
use accounts::{
    AuditEntity, AuditEventName, AuditTarget, Invitation, InvitedRole, NewUser, SessionLifetime,
    SessionStage, TokenPlace, User,
};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::reference::{FullPath, NamespaceRef, ProjectRef};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use projects::Viewer;
use projects::flow::members::{AddMember, MemberActor, MemberContext, MemberError, add_member};
use storage::StoreError;

use super::create_user::{CreateUserError, create_user};
use super::users::{AccountEditor, is_administrator, record};
use crate::database::{ReadTransaction, WriteTransaction};

/// Request of a person who registers with an invitation.
#[derive(Debug, Clone)]
pub struct AcceptInvitation {
    /// Digest of the secret of the invitation.
    pub digest: SecretDigest,
    /// Account to create, with a password.
    pub new: NewUser,
    /// Browser of the person, with its new cookie.
    pub browser: Browser,
    /// Current session of the browser, which ends.
    pub replaced: Option<SessionId>,
}

/// Reasons why nobody is registered. The invitation stays as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptInvitationError {
    /// The invitation does not exist, was used or revoked, has expired, or its creator is no administrator any more.
    #[error("the invitation is not valid")]
    Invalid,
    /// The account cannot be created.
    #[error(transparent)]
    User(#[from] CreateUserError),
    /// The role of the invitation cannot be given.
    #[error(transparent)]
    Role(#[from] MemberError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the invitation with this digest if a person can register with it. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn find_usable_invitation(
    tx: &mut dyn ReadTransaction,
    digest: &SecretDigest,
    now: Timestamp,
) -> Result<Option<Invitation>, StoreError> {
    let found = tx.find_invitation_by_digest(digest)?;
    let Some(invitation) = found.filter(|invitation| !invitation.is_expired(now)) else {
        return Ok(None);
    };
    Ok(is_backed(tx, &invitation)?.then_some(invitation))
}

/// True if the creator of an invitation is still an administrator: an invitation is no more powerful than its creator.
fn is_backed(tx: &mut dyn ReadTransaction, invitation: &Invitation) -> Result<bool, StoreError> {
    let Some(creator) = invitation.creator_id else {
        return Ok(true);
    };
    is_administrator(tx, creator)
}

/// Uses up an invitation: creates the account with its namespace, gives it the role of the invitation, signs its user in,
/// and records all of it in the audit log. Of concurrent uses of one invitation, one succeeds.
///
/// # Errors
/// See [`AcceptInvitationError`].
pub fn accept_invitation(
    tx: &mut dyn WriteTransaction,
    request: &AcceptInvitation,
    lifetime: SessionLifetime,
) -> Result<User, AcceptInvitationError> {
    let now = request.new.created_at;
    let usable = find_usable_invitation(tx, &request.digest, now)?;
    let invitation = usable.ok_or(AcceptInvitationError::Invalid)?;
    let user = create_user(tx, &request.new)?;
    let by = AccountEditor {
        id: Some(user.id),
        now,
    };
    let fields = [("username", user.username.as_str()), ("admin", "false")];
    record(tx, user.id, AuditEventName::UserCreated, &fields, by)?;
    let target = AuditTarget {
        entity: AuditEntity::User(user.id),
        name: user.username.as_str().to_owned(),
    };
    let by = InvitationActor {
        id: Some(user.id),
        now,
    };
    let event = AuditEventName::InvitationUsed;
    record_invitation(tx, event, &invitation, Some(target), by)?;
    if let (Some(role), Some(creator)) = (invitation.role, invitation.creator_id) {
        give_role(tx, role, user.id, creator, now)?;
    }
    // After the place, because a deletion of the place locks it before the invitations to it.
    let taken = tx.take_invitation(&request.digest, now)?;
    taken.ok_or(AcceptInvitationError::Invalid)?;
    if let Some(replaced) = request.replaced {
        tx.delete_session(replaced)?;
        tx.revoke_unredeemed(replaced, now)?;
    }
    let stage = SessionStage::SignedIn;
    start_session(tx, user.id, stage, &request.browser, lifetime, now)?;
    Ok(user)
}

/// Gives a new user the role of an invitation, on behalf of its creator. A place that was deleted in the meantime is left
/// out.
fn give_role(
    tx: &mut dyn WriteTransaction,
    role: InvitedRole,
    user_id: UserId,
    creator: UserId,
    now: Timestamp,
) -> Result<(), AcceptInvitationError> {
    let Some(place) = find_place(tx, role.place)? else {
        return Ok(());
    };
    let new = AddMember {
        user_id,
        level: role.level,
        expires_on: None,
    };
    let acting = MemberActor {
        viewer: Viewer::Administrator(creator),
        now,
    };
    add_member(tx, place, &new, acting)?;
    Ok(())
}

fn find_place(
    tx: &mut dyn WriteTransaction,
    place: TokenPlace,
) -> Result<Option<MemberContext>, StoreError> {
    Ok(match place {
        TokenPlace::Project(id) => {
            let project = tx.find_project(&ProjectRef::Id(id))?;
            project.as_ref().map(MemberContext::from)
        }
        TokenPlace::Group(id) => {
            let group = tx.find_group(&NamespaceRef::Id(id))?;
            group.as_ref().map(MemberContext::from)
        }
    })
}

/// Returns the project or group with this full path, to which a new invitation gives a role; `None` if there is none.
///
/// # Errors
/// Failures of the store.
pub fn find_invited_place(
    tx: &mut dyn ReadTransaction,
    path: &FullPath,
) -> Result<Option<TokenPlace>, StoreError> {
    if let Some(project) = tx.find_project(&ProjectRef::Path(path.clone()))? {
        return Ok(Some(TokenPlace::Project(project.id)));
    }
    let group = tx.find_group(&NamespaceRef::Path(path.clone()))?;
    Ok(group.map(|group| TokenPlace::Group(group.id)))
}

/// An invitation with the names that a list shows.
#[derive(Debug, Clone)]
pub struct ListedInvitation {
    /// The invitation.
    pub invitation: Invitation,
    /// Username of its creator; `None` for the command line.
    pub creator: Option<String>,
    /// Full path of the project or group of its role; `None` without a role, and for a place that was deleted.
    pub place: Option<String>,
}

/// Lists a page of invitations, newest first.
///
/// # Errors
/// Failures of the store.
pub fn list_invitations(
    tx: &mut dyn ReadTransaction,
    page: OffsetPage,
) -> Result<Page<ListedInvitation>, StoreError> {
    let found = tx.list_invitations(page)?;
    let creators = found.items.iter();
    let creators: Vec<UserId> = creators.filter_map(|item| item.creator_id).collect();
    let creators = tx.list_users_by_id(&creators)?;
    let mut items = Vec::with_capacity(found.items.len());
    for invitation in found.items {
        let creator = creators
            .iter()
            .find(|user| Some(user.id) == invitation.creator_id)
            .map(|user| user.username.as_str().to_owned());
        let place = match invitation.role.map(|role| role.place) {
            None => None,
            Some(TokenPlace::Project(id)) => {
                let project = tx.find_project(&ProjectRef::Id(id))?;
                project.map(|project| project.full_path.as_str().to_owned())
            }
            Some(TokenPlace::Group(id)) => {
                let group = tx.find_group(&NamespaceRef::Id(id))?;
                group.map(|group| group.full_path.as_str().to_owned())
            }
        };
        items.push(ListedInvitation {
            invitation,
            creator,
            place,
        });
    }
    Ok(Page {
        items,
        has_next: found.has_next,
        total: found.total,
    })
}
