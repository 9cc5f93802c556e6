//! Users, what they sign in with, their sessions, and access tokens.

mod credentials;
mod session;
mod token;
mod user;

pub use credentials::{Credentials, Failures, SecondFactor};
pub use session::{
    MAX_AGENT_CHARACTERS, NewSession, SESSION_PREFIX, Session, SessionLifetime, SessionStage,
};
pub use token::{AccessToken, NewToken, TOKEN_PREFIX, TokenKind, TokenState};
pub use user::{NewUser, User, UserKind, UserState, Username, UsernameError};
