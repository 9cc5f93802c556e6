//! Hint that names the session to sign out of.

use api_conventions::ids::UserId;

use crate::flow::authorize::SignedIn;
#[cfg(feature = "signing")]
use crate::signing::{IdTokenHint, VerifyError};

/// Content of the parameter `id_token_hint`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SessionHint {
    /// The request has no hint, or one signed with a key that is no longer kept.
    #[default]
    None,
    /// The hint is an id token of this server.
    IdToken {
        /// User named by the token.
        user_id: UserId,
        /// Time at which that user signed in, in seconds since 1970.
        auth_time: Option<i64>,
        /// Applications to which the token was issued.
        audience: Vec<String>,
    },
    /// The hint was not issued by this server.
    Invalid,
}

impl SessionHint {
    /// Evaluates a hint. An expired id token is accepted, because applications sign users out long after they signed
    /// them in (section 2). As in a sign-in request, a hint signed with an unknown key is ignored, because old keys are
    /// deleted; the user is asked then.
    #[cfg(feature = "signing")]
    pub fn of(checked: Result<IdTokenHint, VerifyError>) -> Self {
        let hint = match checked {
            Ok(hint) => hint,
            Err(VerifyError::UnknownKey) => return Self::None,
            Err(_) => return Self::Invalid,
        };
        let Ok(user_id) = hint.sub.parse() else {
            return Self::Invalid;
        };
        Self::IdToken {
            user_id: UserId::new(user_id),
            auth_time: hint.auth_time,
            audience: hint.audience,
        }
    }

    /// True if the hint proves that the application means the session in which `user` is signed in. An id token names
    /// no session, only a user and the time of sign-in; a user who signed in again has another session.
    pub(super) fn proves(&self, user: &SignedIn) -> bool {
        match self {
            Self::IdToken {
                user_id, auth_time, ..
            } => *user_id == user.user_id && *auth_time == Some(user.auth_time.as_unix_seconds()),
            Self::None | Self::Invalid => false,
        }
    }

    /// True if the hint was issued to this application; `None` if the hint does not say.
    pub(super) fn is_for(&self, client_id: &str) -> Option<bool> {
        match self {
            Self::IdToken { audience, .. } => Some(audience.iter().any(|uid| uid == client_id)),
            Self::None | Self::Invalid => None,
        }
    }

    /// Returns the application to which the hint was issued, if it was issued to only one.
    pub(super) fn application(&self) -> Option<&str> {
        match self {
            Self::IdToken { audience, .. } => match audience.as_slice() {
                [one] => Some(one),
                _ => None,
            },
            Self::None | Self::Invalid => None,
        }
    }
}
