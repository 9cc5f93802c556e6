//! The scopes that OpenID Connect defines (OpenID Connect Core 1.0, sections 3.1.2.1 and 5.4).

use super::Scope;

impl Scope {
    /// Signing in: an id token, and the claims that say who the user is.
    pub const OPENID: Self = Self::from_static("openid");
    /// The claims about the user's profile.
    pub const PROFILE: Self = Self::from_static("profile");
    /// The claims about the user's address for mail.
    pub const EMAIL: Self = Self::from_static("email");
}
