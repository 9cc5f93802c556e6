//! The scopes of this platform. The names are those of the specification's authentication section, and `read_api`, the
//! read-only half of `api` that existing clients ask for. A host with other scopes has its own constants in their place.

use super::Scope;

impl Scope {
    /// Complete reading and writing.
    pub const API: Self = Self::from_static("api");
    /// Complete reading.
    pub const READ_API: Self = Self::from_static("read_api");
    /// Reading one's own user.
    pub const READ_USER: Self = Self::from_static("read_user");
    /// Reading repositories over Git.
    pub const READ_REPOSITORY: Self = Self::from_static("read_repository");
    /// Writing repositories over Git.
    pub const WRITE_REPOSITORY: Self = Self::from_static("write_repository");
    /// Acting as another user; administrators only.
    pub const SUDO: Self = Self::from_static("sudo");
    /// The claims about the groups that the user is a member of.
    pub const GROUPS: Self = Self::from_static("groups");

    /// All scopes of this platform, in the order in which people should read them.
    pub const PLATFORM: &'static [Self] = &[
        Self::API,
        Self::READ_API,
        Self::READ_USER,
        Self::READ_REPOSITORY,
        Self::WRITE_REPOSITORY,
        Self::SUDO,
        Self::OPENID,
        Self::PROFILE,
        Self::EMAIL,
        Self::GROUPS,
    ];
}
