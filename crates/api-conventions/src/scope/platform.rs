//! Scopes of this platform. The names are those of the specification's authentication section, and `read_api`, the
//! read-only half of `api` that existing clients request. A host with other scopes defines its own constants instead.

use super::Scope;

impl Scope {
    /// Full read and write access.
    pub const API: Self = Self::from_static("api");
    /// Full read access.
    pub const READ_API: Self = Self::from_static("read_api");
    /// Read access to one's own user.
    pub const READ_USER: Self = Self::from_static("read_user");
    /// Read access to repositories over Git.
    pub const READ_REPOSITORY: Self = Self::from_static("read_repository");
    /// Write access to repositories over Git.
    pub const WRITE_REPOSITORY: Self = Self::from_static("write_repository");
    /// Pulling images from container registries.
    pub const READ_REGISTRY: Self = Self::from_static("read_registry");
    /// Pushing images to container registries.
    pub const WRITE_REGISTRY: Self = Self::from_static("write_registry");
    /// Acting as another user; administrators only.
    pub const SUDO: Self = Self::from_static("sudo");
    /// Claims about the groups that the user is a member of.
    pub const GROUPS: Self = Self::from_static("groups");

    /// All scopes of this platform, in display order.
    pub const PLATFORM: &'static [Self] = &[
        Self::API,
        Self::READ_API,
        Self::READ_USER,
        Self::READ_REPOSITORY,
        Self::WRITE_REPOSITORY,
        Self::READ_REGISTRY,
        Self::WRITE_REGISTRY,
        Self::SUDO,
        Self::OPENID,
        Self::PROFILE,
        Self::EMAIL,
        Self::GROUPS,
    ];
}
