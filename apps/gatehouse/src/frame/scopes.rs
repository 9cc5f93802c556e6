//! The scopes and roles that operations ask for, as types: a handler's argument names them, and so does the declaration
//! that comes from it.

use api_conventions::access::AccessLevel;
use api_conventions::scope::Scope;

/// Scopes of which a token needs one.
pub trait Scopes: 'static {
    /// The scopes.
    const ANY_OF: &'static [Scope];
}

/// What reads anything.
#[derive(Debug)]
pub struct Read;

/// What reads one's own user.
#[derive(Debug)]
pub struct ReadUser;

/// What changes things.
#[derive(Debug)]
pub struct Write;

/// Any scope at all.
#[derive(Debug)]
pub struct AnyScope;

impl Scopes for Read {
    const ANY_OF: &'static [Scope] = &[Scope::API, Scope::READ_API];
}

impl Scopes for ReadUser {
    const ANY_OF: &'static [Scope] = &[Scope::API, Scope::READ_API, Scope::READ_USER];
}

impl Scopes for Write {
    const ANY_OF: &'static [Scope] = &[Scope::API];
}

impl Scopes for AnyScope {
    const ANY_OF: &'static [Scope] = Scope::PLATFORM;
}

/// The least role that somebody needs.
pub trait Role: 'static {
    /// The role.
    const LEAST: AccessLevel;
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
