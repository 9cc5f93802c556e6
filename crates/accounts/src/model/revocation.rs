//! What is revoked, for caches of what was read before.

use api_conventions::ids::{
    ApplicationId, GrantId, IntegrationId, ProjectId, SessionId, TokenId, UserId,
};

/// Something that was revoked: what was read of it before must be read again.
///
/// Ids of other crates stand here, too, because one number orders all revocations, whatever lost it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Revoked {
    /// All that is remembered. It is also what a program reads where a newer one named a kind that it does not know.
    Everything,
    /// All that acts for this user.
    User(UserId),
    /// A session.
    Session(SessionId),
    /// A personal or impersonation access token.
    Token(TokenId),
    /// The tokens that follow from this grant.
    Grant(GrantId),
    /// An application, and the tokens that it holds.
    Application(ApplicationId),
    /// An alert endpoint.
    Endpoint(IntegrationId),
    /// Which path leads to which group or project, and what is there at all.
    Paths,
    /// What a project takes of the reports of its programs: its settings of error tracking, or one of its client keys.
    ErrorTracking(ProjectId),
}

/// A revocation as it is kept for other processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revocation {
    /// The authentication epoch that it began.
    pub epoch: i64,
    /// What was revoked.
    pub revoked: Revoked,
}
