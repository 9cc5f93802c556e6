//! Rows of users, and revocations.

use std::collections::HashMap;

use accounts::{RevocationSubject, User, UserActivity, UserChange, UserKind, UserState, Username};
use api_conventions::ids::{
    ApplicationId, GrantId, IntegrationId, ProjectId, SessionId, TokenId, UserId,
};
use diesel::prelude::*;
use storage::StoreError;

use super::super::tables::users;
use crate::rows::{DomainRow, KeyedRow, RowReader};

#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
pub(crate) struct UserRow {
    id: i64,
    username: String,
    name: String,
    email: String,
    kind: i16,
    is_admin: bool,
    blocked_at: Option<i64>,
    blocked_as: i16,
    created_at: i64,
    second_factor_enabled_at: Option<i64>,
    private_profile: bool,
}

/// Stage of a session in which its user is signed in.
pub(crate) const SIGNED_IN: i16 = 1;

/// The sign-ins of a user.
#[derive(Queryable, Selectable)]
#[diesel(table_name = users)]
pub(crate) struct ActivityRow {
    id: i64,
    sign_in_count: i64,
    current_sign_in_at: Option<i64>,
    last_sign_in_at: Option<i64>,
}

impl ActivityRow {
    /// Reads the row; `seen` has the time at which each user last used a session or a token.
    pub(crate) fn read(
        self,
        seen: &HashMap<i64, Option<i64>>,
    ) -> Result<(UserId, UserActivity), StoreError> {
        let row = RowReader::new("users", self.id);
        let seen = seen.get(&self.id).copied().flatten();
        let activity = UserActivity {
            sign_in_count: self.sign_in_count,
            current_sign_in_at: row.optional_timestamp(self.current_sign_in_at)?,
            last_sign_in_at: row.optional_timestamp(self.last_sign_in_at)?,
            last_seen_at: row.optional_timestamp(seen.max(self.current_sign_in_at))?,
        };
        Ok((UserId::new(self.id), activity))
    }
}

/// Columns of a change.
/// A `None` column is not written.
#[derive(AsChangeset)]
#[diesel(table_name = users)]
#[expect(
    clippy::option_option,
    reason = "removing an address differs from leaving it unchanged"
)]
pub(crate) struct UserChangeRow<'c> {
    name: Option<&'c str>,
    name_key: Option<String>,
    email: Option<&'c str>,
    /// Key of the address, which is unique unless it is empty.
    email_key: Option<Option<String>>,
    is_admin: Option<bool>,
    private_profile: Option<bool>,
}

impl<'c> From<&'c UserChange> for UserChangeRow<'c> {
    fn from(change: &'c UserChange) -> Self {
        Self {
            name: change.name.as_deref(),
            name_key: change.name.as_ref().map(|name| name.to_lowercase()),
            email: change.email.as_deref(),
            email_key: change.email.as_deref().map(email_key),
            is_admin: change.is_admin,
            private_profile: change.private_profile,
        }
    }
}

/// Returns the key by which an address is compared; `None` for an account without an address.
pub(crate) fn email_key(email: &str) -> Option<String> {
    (!email.is_empty()).then(|| email.to_lowercase())
}

/// Returns the kind and the id of a revocation as stored.
pub(crate) fn revoked_parts(revoked: RevocationSubject) -> (i16, i64) {
    match revoked {
        RevocationSubject::Everything => (0, 0),
        RevocationSubject::User(id) => (1, id.get()),
        RevocationSubject::Session(id) => (2, id.get()),
        RevocationSubject::Token(id) => (3, id.get()),
        RevocationSubject::Grant(id) => (4, id.get()),
        RevocationSubject::Application(id) => (5, id.get()),
        RevocationSubject::Endpoint(id) => (6, id.get()),
        RevocationSubject::Paths => (7, 0),
        RevocationSubject::ErrorTracking(id) => (8, id.get()),
    }
}

/// Reads a revocation from its kind and id.
/// An unknown kind, written by a newer program, is read as a revocation of everything.
pub(crate) fn read_revoked(kind: i16, id: i64) -> RevocationSubject {
    match kind {
        1 => RevocationSubject::User(UserId::new(id)),
        2 => RevocationSubject::Session(SessionId::new(id)),
        3 => RevocationSubject::Token(TokenId::new(id)),
        4 => RevocationSubject::Grant(GrantId::new(id)),
        5 => RevocationSubject::Application(ApplicationId::new(id)),
        6 => RevocationSubject::Endpoint(IntegrationId::new(id)),
        7 => RevocationSubject::Paths,
        8 => RevocationSubject::ErrorTracking(ProjectId::new(id)),
        _ => RevocationSubject::Everything,
    }
}

/// Returns the number of a state in which an account may not act; 0 for an active one.
pub(crate) fn blocked_as(state: UserState) -> i16 {
    match state {
        UserState::Active | UserState::Blocked { .. } => 0,
        UserState::Banned { .. } => 1,
        UserState::Deactivated { .. } => 2,
    }
}

/// Returns the number of a kind of user.
pub(crate) fn user_kind(kind: UserKind) -> i16 {
    match kind {
        UserKind::Human => 0,
        UserKind::AlertBot => 1,
        UserKind::ProjectBot => 2,
        UserKind::GroupBot => 3,
        UserKind::Ghost => 4,
        UserKind::Deleted {
            with_contributions: false,
        } => 5,
        UserKind::Deleted {
            with_contributions: true,
        } => 6,
    }
}

impl KeyedRow for UserRow {
    fn key(&self) -> i64 {
        self.id
    }
}

impl DomainRow for UserRow {
    type Value = User;

    fn read(self) -> Result<User, StoreError> {
        let row = RowReader::new("users", self.id);
        let kind = match self.kind {
            0 => UserKind::Human,
            1 => UserKind::AlertBot,
            2 => UserKind::ProjectBot,
            3 => UserKind::GroupBot,
            4 => UserKind::Ghost,
            5 | 6 => UserKind::Deleted {
                with_contributions: self.kind == 6,
            },
            _ => return Err(row.inconsistent("unknown kind")),
        };
        let state = match row.optional_timestamp(self.blocked_at)? {
            None => UserState::Active,
            Some(at) => match self.blocked_as {
                0 => UserState::Blocked { at },
                1 => UserState::Banned { at },
                2 => UserState::Deactivated { at },
                _ => return Err(row.inconsistent("unknown state")),
            },
        };
        Ok(User {
            id: UserId::new(self.id),
            username: Username::parse(&self.username)
                .map_err(|_| row.inconsistent("invalid username"))?,
            name: self.name,
            email: self.email,
            kind,
            is_admin: self.is_admin,
            state,
            two_factor_enabled: self.second_factor_enabled_at.is_some(),
            private_profile: self.private_profile,
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_nobody_knows_is_everything() {
        assert_eq!(read_revoked(i16::MAX, 3), RevocationSubject::Everything);
        assert_eq!(read_revoked(-1, 3), RevocationSubject::Everything);
        let endpoint = RevocationSubject::Endpoint(IntegrationId::new(3));
        let (kind, id) = revoked_parts(endpoint);
        assert_eq!(read_revoked(kind, id), endpoint);
    }
}
