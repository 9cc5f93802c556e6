//! Scopes and roles required by operations, as types.
//! A handler's argument names them, and the declaration is derived from it.

use std::marker::PhantomData;

use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::scope::Scope;

/// Scopes of which a token needs one.
pub trait Scopes: 'static {
    /// Scopes, one of which is sufficient.
    const ANY_OF: &'static [Scope];
}

/// Scopes that can read everything.
#[derive(Debug)]
pub struct ReadApi;

/// Scopes that can read the caller's own user.
#[derive(Debug)]
pub struct ReadUser;

/// Scopes that can write.
#[derive(Debug)]
pub struct WriteApi;

/// Scopes that can report pushes: the server of a Git repository needs no access to the API.
#[derive(Debug)]
pub struct PushReport;

/// Any scope.
#[derive(Debug)]
pub struct AnyScope;

impl Scopes for ReadApi {
    const ANY_OF: &'static [Scope] = &[Scope::API, Scope::READ_API];
}

impl Scopes for ReadUser {
    const ANY_OF: &'static [Scope] = &[Scope::API, Scope::READ_API, Scope::READ_USER];
}

impl Scopes for WriteApi {
    const ANY_OF: &'static [Scope] = &[Scope::API];
}

impl Scopes for PushReport {
    const ANY_OF: &'static [Scope] = &[Scope::API, Scope::WRITE_REPOSITORY];
}

impl Scopes for AnyScope {
    const ANY_OF: &'static [Scope] = Scope::PLATFORM;
}

/// Lowest role that an operation requires.
pub trait Role: 'static {
    /// The role.
    const LEAST: AccessLevel;

    /// Refusal for a member with a lower role.
    fn refusal() -> ApiError {
        ApiError::forbidden()
    }
}

/// The role `R`, without which the request gets a 401, as for access tokens of projects and groups in the original API.
#[derive(Debug)]
pub struct OrUnauthorized<R>(PhantomData<R>);

impl<R: Role> Role for OrUnauthorized<R> {
    const LEAST: AccessLevel = R::LEAST;

    fn refusal() -> ApiError {
        ApiError::unauthorized()
    }
}

macro_rules! roles {
    ($($name:ident),*) => {$(
        #[doc = concat!("The role ", stringify!($name), ", or a higher one.")]
        #[derive(Debug)]
        pub struct $name;

        impl Role for $name {
            const LEAST: AccessLevel = AccessLevel::$name;
        }
    )*};
}

roles!(Guest, Reporter, Developer, Maintainer, Owner);
