//! Rows of access tokens.

use accounts::{AccessToken, NewToken, TokenKind, TokenState};
use api_conventions::ids::{NamespaceId, ProjectId, TokenId, UserId};
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    access_tokens: TokenRow, NewTokenRow;
    fixed {
        user_id: BigInt,
        name: Text,
        kind: SmallInt,
        place_id: Nullable<BigInt>,
        family_id: Nullable<BigInt>,
        scopes: Text,
        expires_on: Integer,
        creator_id: Nullable<BigInt>,
        created_at: BigInt,
    }
    written {
        digest: Binary,
        expiry_announced: Bool,
    }
    later {
        revoked_at: Nullable<BigInt>,
        last_used_at: Nullable<BigInt>,
    }
}

/// Returns the stored number of a kind of token.
pub(crate) fn token_kind(kind: TokenKind) -> i16 {
    match kind {
        TokenKind::Personal => 0,
        TokenKind::Impersonation => 1,
        TokenKind::Project(_) => 2,
        TokenKind::Group(_) => 3,
    }
}

/// Returns the stored number of the project or group of a token; `None` for a token of a user.
pub(crate) fn place_id(kind: TokenKind) -> Option<i64> {
    match kind {
        TokenKind::Personal | TokenKind::Impersonation => None,
        TokenKind::Project(id) => Some(id.get()),
        TokenKind::Group(id) => Some(id.get()),
    }
}

impl DomainRow for TokenRow {
    type Value = AccessToken;

    fn read(self) -> Result<AccessToken, StoreError> {
        let row = self.reader();
        let kind = match (self.kind, self.place_id) {
            (0, None) => TokenKind::Personal,
            (1, None) => TokenKind::Impersonation,
            (2, Some(id)) => TokenKind::Project(ProjectId::new(id)),
            (3, Some(id)) => TokenKind::Group(NamespaceId::new(id)),
            _ => return Err(row.inconsistent("unknown kind")),
        };
        let state = match row.optional_timestamp(self.revoked_at)? {
            None => TokenState::Active,
            Some(at) => TokenState::Revoked { at },
        };
        Ok(AccessToken {
            id: TokenId::new(self.id),
            user_id: UserId::new(self.user_id),
            name: self.name,
            kind,
            family_id: self.family_id.map(TokenId::new),
            scopes: row.scopes(&self.scopes)?,
            expires_on: row.day(self.expires_on)?,
            creator_id: self.creator_id.map(UserId::new),
            state,
            created_at: row.timestamp(self.created_at)?,
            last_used_at: row.optional_timestamp(self.last_used_at)?,
        })
    }
}

impl<'v> From<&'v NewToken> for NewTokenRow<'v> {
    fn from(new: &'v NewToken) -> Self {
        Self {
            user_id: new.user_id.get(),
            name: new.name.as_str().into(),
            kind: token_kind(new.kind),
            place_id: place_id(new.kind),
            family_id: new.family_id.map(TokenId::get),
            scopes: new.scopes.to_string().into(),
            expires_on: new.expires_on.as_days(),
            creator_id: new.creator_id.map(UserId::get),
            created_at: new.created_at.as_micros(),
            digest: new.digest.as_bytes()[..].into(),
            expiry_announced: false,
        }
    }
}
