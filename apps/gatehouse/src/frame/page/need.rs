//! What a visitor of a page of a place needs, besides seeing the place.

use std::marker::PhantomData;

use api_conventions::access::AccessLevel;
use web_conventions::operations::Audience;

use super::failure::PageFailure;
use crate::frame::scopes::Role;

/// What a visitor needs who sees the place.
pub trait Need: 'static {
    /// Who may open the page at all.
    const AUDIENCE: Audience;

    /// Judges what the visitor may do in the place: `allows` tells whether that is what a role allows.
    ///
    /// # Errors
    /// The page that is shown instead.
    fn judge(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure>;
}

/// What `A` says, and then what `B` says: anyone whom `A` refuses does not learn what `B` is about.
#[derive(Debug)]
pub struct Both<A, B>(PhantomData<(A, B)>);

/// Nothing more.
#[derive(Debug)]
pub struct Sight;

/// The role `R`. Anyone without it does not learn that there is such a page.
#[derive(Debug)]
pub struct Hidden<R>(PhantomData<R>);

/// The role `R`, for what those without it see and may not change.
#[derive(Debug)]
pub struct Allowed<R>(PhantomData<R>);

impl Need for Sight {
    const AUDIENCE: Audience = Audience::Everybody;

    fn judge(_: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        Ok(())
    }
}

/// An account: what strangers to the place do, too, if they see it.
#[derive(Debug)]
pub struct Account;

impl Need for Account {
    const AUDIENCE: Audience = Audience::SignedIn;

    fn judge(_: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        Ok(())
    }
}

impl<A: Need, B: Need> Need for Both<A, B> {
    const AUDIENCE: Audience = A::AUDIENCE;

    fn judge(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        A::judge(&allows)?;
        B::judge(allows)
    }
}

impl<R: Role> Need for Hidden<R> {
    const AUDIENCE: Audience = Audience::SignedIn;

    fn judge(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        allows(R::LEAST)
            .then_some(())
            .ok_or_else(PageFailure::not_found)
    }
}

impl<R: Role> Need for Allowed<R> {
    const AUDIENCE: Audience = Audience::SignedIn;

    fn judge(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        allows(R::LEAST)
            .then_some(())
            .ok_or_else(PageFailure::forbidden)
    }
}
