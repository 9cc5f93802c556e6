//! Reasons for which a signed-in user must sign in again.

/// Reason shown on the sign-in page.
/// The URL carries only its keyword, so that no one can inject text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReauthenticationReason {
    /// No particular reason.
    Unspecified,
    /// The application requests it: `prompt=login` (OpenID Connect Core 1.0, section 3.1.2.1).
    Requested,
    /// The session is older than the application accepts: `max_age`.
    MaxAgeExceeded,
    /// The user chooses an account, or the application requests a choice: `prompt=select_account`.
    ChooseAccount,
    /// The application requires another user: `id_token_hint`.
    AnotherAccount,
}

impl ReauthenticationReason {
    const ALL: [Self; 5] = [
        Self::Unspecified,
        Self::Requested,
        Self::MaxAgeExceeded,
        Self::ChooseAccount,
        Self::AnotherAccount,
    ];

    /// Keyword in the URL.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unspecified => "1",
            Self::Requested => "asked",
            Self::MaxAgeExceeded => "too_long_ago",
            Self::ChooseAccount => "choose_account",
            Self::AnotherAccount => "another_account",
        }
    }

    /// Finds the reason with this keyword; an unknown keyword gives `Unspecified`.
    pub fn parse(word: &str) -> Self {
        let found = Self::ALL.into_iter().find(|reason| reason.word() == word);
        found.unwrap_or(Self::Unspecified)
    }

    /// Sentence to show.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Unspecified => "Sign in again to continue.",
            Self::Requested => "The application asks you to sign in again.",
            Self::MaxAgeExceeded => {
                "This application requires a more recent sign-in. Sign in again to continue."
            }
            Self::ChooseAccount => "Sign in with the account that you want to use.",
            Self::AnotherAccount => {
                "The application expects a different account from the one that is signed in. Sign in with that account."
            }
        }
    }

    /// True if the user of the session is the one to sign in.
    pub const fn is_same_user(self) -> bool {
        !matches!(self, Self::ChooseAccount | Self::AnotherAccount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_round_trip_and_unknown_words_parse_as_unspecified() {
        for reason in ReauthenticationReason::ALL {
            assert_eq!(ReauthenticationReason::parse(reason.word()), reason);
            assert!(reason.text().ends_with('.'));
        }
        assert_eq!(
            ReauthenticationReason::parse("<b>hi</b>"),
            ReauthenticationReason::Unspecified
        );
    }
}
