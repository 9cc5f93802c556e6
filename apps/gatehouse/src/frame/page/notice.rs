//! What was done, told on the page that follows.

/// A sentence that the next page shows once. Only its word travels, so nobody can put words into our mouth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// Somebody signed out.
    SignedOut,
    /// The password was changed.
    PasswordChanged,
    /// One session was ended.
    SessionEnded,
    /// All other sessions were ended.
    OtherSessionsEnded,
    /// The second factor is off.
    SecondFactorOff,
    /// An application was registered.
    ApplicationRegistered,
    /// An application has another secret.
    SecretRenewed,
    /// An application was changed.
    ApplicationSaved,
    /// An application was deleted.
    ApplicationDeleted,
    /// What an application was permitted was ended.
    AuthorizationRevoked,
}

impl Notice {
    const ALL: [Self; 10] = [
        Self::SignedOut,
        Self::PasswordChanged,
        Self::SessionEnded,
        Self::OtherSessionsEnded,
        Self::SecondFactorOff,
        Self::ApplicationRegistered,
        Self::SecretRenewed,
        Self::ApplicationSaved,
        Self::ApplicationDeleted,
        Self::AuthorizationRevoked,
    ];

    /// The word that travels.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::PasswordChanged => "password_changed",
            Self::SessionEnded => "session_ended",
            Self::OtherSessionsEnded => "other_sessions_ended",
            Self::SecondFactorOff => "second_factor_off",
            Self::ApplicationRegistered => "application_registered",
            Self::SecretRenewed => "secret_renewed",
            Self::ApplicationSaved => "application_saved",
            Self::ApplicationDeleted => "application_deleted",
            Self::AuthorizationRevoked => "authorization_revoked",
        }
    }

    /// The notice with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|notice| notice.word() == word)
    }

    /// The sentence.
    pub const fn text(self) -> &'static str {
        match self {
            Self::SignedOut => "You are signed out.",
            Self::PasswordChanged => {
                "Your password is changed. Your other sessions are signed out, and applications have to be authorized again."
            }
            Self::SessionEnded => "The session is signed out.",
            Self::OtherSessionsEnded => {
                "All other sessions are signed out. Applications have to be authorized again."
            }
            Self::SecondFactorOff => "Two-factor authentication is off.",
            Self::ApplicationRegistered => "The application is registered.",
            Self::SecretRenewed => "The secret is renewed. The old one no longer works.",
            Self::ApplicationSaved => "The application is saved.",
            Self::ApplicationDeleted => "The application is deleted. Its tokens no longer work.",
            Self::AuthorizationRevoked => {
                "The authorization is revoked. The application can no longer act for you."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for notice in Notice::ALL {
            assert_eq!(Notice::parse(notice.word()), Some(notice));
            assert!(notice.text().ends_with('.'));
        }
        assert_eq!(Notice::parse("<b>hi</b>"), None);
    }
}
