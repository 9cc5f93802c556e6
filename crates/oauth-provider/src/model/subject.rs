//! The party for which a grant and its tokens act.

use api_conventions::ids::{ApplicationId, UserId};

/// The party for which a grant and its tokens act. Match on it: it is not always a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenSubject {
    /// A user.
    User {
        /// The user.
        user_id: UserId,
        /// The application through which the user acts; `None` after a password grant without one.
        application_id: Option<ApplicationId>,
    },
    /// An application that acts for itself (RFC 6749, section 4.4). There is no user.
    Application(ApplicationId),
}

impl TokenSubject {
    /// Creates the subject of a user who acts through an application.
    pub const fn user(user_id: UserId, application_id: ApplicationId) -> Self {
        Self::User {
            user_id,
            application_id: Some(application_id),
        }
    }

    /// Returns the application that holds the tokens.
    pub const fn application_id(self) -> Option<ApplicationId> {
        match self {
            Self::User { application_id, .. } => application_id,
            Self::Application(id) => Some(id),
        }
    }

    /// True if this is the user, through any application.
    pub fn is_user(self, id: UserId) -> bool {
        matches!(self, Self::User { user_id, .. } if user_id == id)
    }

    /// Returns the user and the application as stored in rows.
    pub const fn ids(self) -> (Option<UserId>, Option<ApplicationId>) {
        match self {
            Self::User {
                user_id,
                application_id,
            } => (Some(user_id), application_id),
            Self::Application(id) => (None, Some(id)),
        }
    }

    /// Returns the subject of a row with this user and this application; `None` if it has neither.
    pub fn from_ids(user: Option<UserId>, application: Option<ApplicationId>) -> Option<Self> {
        match user {
            Some(user_id) => Some(Self::User {
                user_id,
                application_id: application,
            }),
            None => application.map(Self::Application),
        }
    }
}
