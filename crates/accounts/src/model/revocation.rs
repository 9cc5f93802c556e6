//! Revocations, which invalidate cached data.

use api_conventions::ids::{
    ApplicationId, GrantId, IntegrationId, ProjectId, SessionId, TokenId, UserId,
};

/// Subject of a revocation: anything cached about it must be read again.
///
/// Ids of other crates appear here too, because one number orders all revocations of every kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RevocationSubject {
    /// Everything that is cached. A process also reads this if a newer one stored a kind that it does not know.
    Everything,
    /// Everything that acts for this user.
    User(UserId),
    /// A session.
    Session(SessionId),
    /// A personal or impersonation access token.
    Token(TokenId),
    /// The tokens issued under this grant.
    Grant(GrantId),
    /// An application and its tokens.
    Application(ApplicationId),
    /// An alert endpoint.
    Endpoint(IntegrationId),
    /// The paths of groups and projects, and which of them exist.
    Paths,
    /// The rules for a project's error reports: its error tracking settings, or one of its client keys.
    ErrorTracking(ProjectId),
}

/// A revocation as stored for other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revocation {
    /// Authentication epoch that this revocation started.
    pub epoch: i64,
    /// Subject of the revocation.
    pub revoked: RevocationSubject,
}
