//! Scopes defined by OpenID Connect (OpenID Connect Core 1.0, sections 3.1.2.1 and 5.4).

use super::Scope;

impl Scope {
    /// Sign-in: an id token, and the claims that identify the user.
    pub const OPENID: Self = Self::from_static("openid");
    /// Claims about the user's profile.
    pub const PROFILE: Self = Self::from_static("profile");
    /// Claims about the user's email address.
    pub const EMAIL: Self = Self::from_static("email");
}
