//! Users and access tokens.

mod token;
mod user;

pub use token::{AccessToken, NewToken, TOKEN_PREFIX, TokenKind, TokenState};
pub use user::{NewUser, User, UserKind, UserState, Username, UsernameError};
