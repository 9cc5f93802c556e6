//! Rows of invitations.

use accounts::{Invitation, InvitedRole, NewInvitation, TokenPlace};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{InvitationId, UserId};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    invitations: InvitationRow, NewInvitationRow;
    fixed {
        creator_id: Nullable<BigInt>,
        email: Nullable<Text>,
        username: Nullable<Text>,
        place_kind: Nullable<SmallInt>,
        place_id: Nullable<BigInt>,
        access_level: Nullable<SmallInt>,
        created_at: BigInt,
        expires_at: BigInt,
    }
    written { digest: Binary }
}

impl DomainRow for InvitationRow {
    type Value = Invitation;

    fn read(self) -> Result<Invitation, StoreError> {
        let row = self.reader();
        let role = match (self.place_kind, self.place_id, self.access_level) {
            (None, None, None) => None,
            (Some(kind), Some(id), Some(level)) => {
                let place = TokenPlace::from_numbers(kind, id);
                Some(InvitedRole {
                    place: row.require(place, "unknown kind of place")?,
                    level: row.require(
                        AccessLevel::from_number(level.into()),
                        "unknown access level",
                    )?,
                })
            }
            _ => return Err(row.inconsistent("incomplete role")),
        };
        Ok(Invitation {
            id: InvitationId::new(self.id),
            creator_id: self.creator_id.map(UserId::new),
            email: self.email,
            username: self.username,
            role,
            created_at: row.timestamp(self.created_at)?,
            expires_at: row.timestamp(self.expires_at)?,
        })
    }
}

impl<'v> From<&'v NewInvitation> for NewInvitationRow<'v> {
    fn from(new: &'v NewInvitation) -> Self {
        let place = new.role.map(|role| role.place.numbers());
        Self {
            creator_id: new.creator_id.map(UserId::get),
            email: new.email.as_deref().map(Into::into),
            username: new.username.as_deref().map(Into::into),
            place_kind: place.map(|(kind, _)| kind),
            place_id: place.map(|(_, id)| id),
            access_level: new.role.map(|role| role.level.number()),
            created_at: new.created_at.as_micros(),
            expires_at: new.expires_at.as_micros(),
            digest: new.digest.as_bytes()[..].into(),
        }
    }
}
