//! The session that an application means.

use api_conventions::ids::UserId;

use crate::flow::authorize::SignedIn;
#[cfg(feature = "signing")]
use crate::signing::{IdTokenHint, VerifyError};

/// What the parameter `id_token_hint` says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SessionHint {
    /// Nothing: there is none, or it is by a key that is no longer kept.
    #[default]
    Nothing,
    /// It is an id token of this server.
    IdToken {
        /// The user whom it names.
        user_id: UserId,
        /// When that user had signed in, in seconds since 1970.
        auth_time: Option<i64>,
        /// The applications that it was issued to.
        audience: Vec<String>,
    },
    /// This server never issued it.
    Wrong,
}

impl SessionHint {
    /// Judges a hint. It may have expired, because applications sign users out long after they signed them in (section 2).
    /// As in a request to sign in, one by an unknown key is passed over, because keys go when they are old: the user is
    /// asked then.
    #[cfg(feature = "signing")]
    pub fn of(checked: Result<IdTokenHint, VerifyError>) -> Self {
        let hint = match checked {
            Ok(hint) => hint,
            Err(VerifyError::UnknownKey) => return Self::Nothing,
            Err(_) => return Self::Wrong,
        };
        let Ok(user_id) = hint.sub.parse() else {
            return Self::Wrong;
        };
        Self::IdToken {
            user_id: UserId::new(user_id),
            auth_time: hint.auth_time,
            audience: hint.audience,
        }
    }

    /// Whether it proves that the application means the session in which `user` is signed in. An id token names no session.
    /// It says who signed in, and when; a user who signed in anew has another session.
    pub(super) fn proves(&self, user: &SignedIn) -> bool {
        match self {
            Self::IdToken {
                user_id, auth_time, ..
            } => *user_id == user.user_id && *auth_time == Some(user.auth_time.as_unix_seconds()),
            Self::Nothing | Self::Wrong => false,
        }
    }

    /// Whether it was issued to this application; `None` when it does not say.
    pub(super) fn is_for(&self, client_id: &str) -> Option<bool> {
        match self {
            Self::IdToken { audience, .. } => Some(audience.iter().any(|uid| uid == client_id)),
            Self::Nothing | Self::Wrong => None,
        }
    }

    /// The one application that it was issued to.
    pub(super) fn application(&self) -> Option<&str> {
        match self {
            Self::IdToken { audience, .. } => match audience.as_slice() {
                [one] => Some(one),
                _ => None,
            },
            Self::Nothing | Self::Wrong => None,
        }
    }
}
