//! Requirements for visitors of a place's pages, besides access to the place.

use std::marker::PhantomData;

use api_conventions::access::AccessLevel;
use web_conventions::operations::PageAudience;

use super::failure::PageFailure;
use crate::frame::scopes::Role;

/// Requirement for a visitor who may see the place.
pub trait Need: 'static {
    /// Visitors who may open the page at all.
    const AUDIENCE: PageAudience;

    /// Checks the visitor's access: `allows` is true for roles that the visitor has.
    ///
    /// # Errors
    /// Page shown instead.
    fn check(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure>;
}

/// `A`, then `B`: a visitor refused by `A` learns nothing about `B`.
#[derive(Debug)]
pub struct And<A, B>(PhantomData<(A, B)>);

/// No further requirement.
#[derive(Debug)]
pub struct CanView;

/// Role `R`.
/// Visitors without it do not learn that the page exists.
#[derive(Debug)]
pub struct RoleOrNotFound<R>(PhantomData<R>);

/// Role `R`, for pages that visitors without it may see but not change.
#[derive(Debug)]
pub struct RoleOrForbidden<R>(PhantomData<R>);

impl Need for CanView {
    const AUDIENCE: PageAudience = PageAudience::Everybody;

    fn check(_: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        Ok(())
    }
}

/// Signed-in user, also without a role, who may see the place.
#[derive(Debug)]
pub struct Account;

impl Need for Account {
    const AUDIENCE: PageAudience = PageAudience::SignedIn;

    fn check(_: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        Ok(())
    }
}

impl<A: Need, B: Need> Need for And<A, B> {
    const AUDIENCE: PageAudience = A::AUDIENCE;

    fn check(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        A::check(&allows)?;
        B::check(allows)
    }
}

impl<R: Role> Need for RoleOrNotFound<R> {
    const AUDIENCE: PageAudience = PageAudience::SignedIn;

    fn check(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        allows(R::LEAST)
            .then_some(())
            .ok_or_else(PageFailure::not_found)
    }
}

impl<R: Role> Need for RoleOrForbidden<R> {
    const AUDIENCE: PageAudience = PageAudience::SignedIn;

    fn check(allows: impl Fn(AccessLevel) -> bool) -> Result<(), PageFailure> {
        allows(R::LEAST)
            .then_some(())
            .ok_or_else(PageFailure::forbidden)
    }
}
