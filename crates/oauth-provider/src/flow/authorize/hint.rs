//! Hint that names the user whom an application expects to be signed in (OpenID Connect Core 1.0, section 3.1.2.1,
//! `id_token_hint`).

use api_conventions::ids::UserId;

#[cfg(feature = "signing")]
use crate::model::ApplicationUid;
#[cfg(feature = "signing")]
use crate::signing::{IdTokenHint, VerifyError};

/// User named by a hint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HintedUser {
    /// No user: the request has no hint, or one signed with a key that is no longer kept.
    #[default]
    None,
    /// Named user.
    User(UserId),
    /// The hint is invalid: this server never issued it to this application.
    Invalid,
}

impl HintedUser {
    /// Evaluates the hint of an application. An expired id token is accepted, because a hint only names a user and
    /// permits nothing.
    ///
    /// The standard leaves the handling of unverifiable hints open. A hint signed with an unknown key is ignored: old
    /// keys are deleted, and an application that kept its id token for longer must still be able to sign its user in.
    /// Any other hint is forged or mixed up, and the application gets an error.
    #[cfg(feature = "signing")]
    pub fn of(checked: Result<&IdTokenHint, VerifyError>, application: &ApplicationUid) -> Self {
        let hint = match checked {
            Ok(hint) => hint,
            Err(VerifyError::UnknownKey) => return Self::None,
            Err(_) => return Self::Invalid,
        };
        let is_its_own = hint.audience.iter().any(|uid| uid == application.as_str());
        let user = hint.sub.parse().ok().filter(|_| is_its_own);
        user.map_or(Self::Invalid, |id| Self::User(UserId::new(id)))
    }

    /// True if the hint names a user other than this one.
    pub(super) fn is_other_than(self, user: UserId) -> bool {
        matches!(self, Self::User(named) if named != user)
    }
}

#[cfg(all(test, feature = "signing"))]
mod tests {
    use super::*;

    fn hint(sub: &str, audience: &[&str]) -> IdTokenHint {
        IdTokenHint {
            sub: sub.to_owned(),
            audience: audience.iter().map(|&uid| uid.to_owned()).collect(),
            auth_time: None,
        }
    }

    #[test]
    fn a_hint_names_a_user_to_the_application_that_it_was_issued_to() {
        let uid = ApplicationUid::parse("app").unwrap();
        let cases = [
            (hint("42", &["app"]), HintedUser::User(UserId::new(42))),
            (
                hint("42", &["other", "app"]),
                HintedUser::User(UserId::new(42)),
            ),
            (hint("42", &["other"]), HintedUser::Invalid),
            (hint("42", &[]), HintedUser::Invalid),
            (hint("ann", &["app"]), HintedUser::Invalid),
        ];
        for (hint, expected) in cases {
            assert_eq!(HintedUser::of(Ok(&hint), &uid), expected, "{hint:?}");
        }
    }

    #[test]
    fn an_unknown_key_names_no_user_and_other_hint_faults_are_invalid() {
        let uid = ApplicationUid::parse("app").unwrap();
        let of = |error| HintedUser::of(Err(error), &uid);
        assert_eq!(of(VerifyError::UnknownKey), HintedUser::None);
        for error in [
            VerifyError::Malformed,
            VerifyError::Algorithm,
            VerifyError::Signature,
            VerifyError::Foreign,
        ] {
            assert_eq!(of(error), HintedUser::Invalid, "{error}");
        }
    }
}
