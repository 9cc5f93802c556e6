//! What a visitor of a page of a project needs, besides seeing the project.

use std::marker::PhantomData;

use projects::ProjectAccess;
use web_conventions::operations::Audience;

use super::failure::PageFailure;
use crate::frame::scopes::Role;

/// What a visitor needs who sees the project.
pub trait Need: 'static {
    /// Who may open the page at all.
    const AUDIENCE: Audience;

    /// Judges what the visitor may do in the project.
    ///
    /// # Errors
    /// The page that is shown instead.
    fn judge(access: ProjectAccess) -> Result<(), PageFailure>;
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

    fn judge(_: ProjectAccess) -> Result<(), PageFailure> {
        Ok(())
    }
}

/// An account: what strangers to the project do, too, if they see it.
#[derive(Debug)]
pub struct Account;

impl Need for Account {
    const AUDIENCE: Audience = Audience::SignedIn;

    fn judge(_: ProjectAccess) -> Result<(), PageFailure> {
        Ok(())
    }
}

impl<A: Need, B: Need> Need for Both<A, B> {
    const AUDIENCE: Audience = A::AUDIENCE;

    fn judge(access: ProjectAccess) -> Result<(), PageFailure> {
        A::judge(access)?;
        B::judge(access)
    }
}

impl<R: Role> Need for Hidden<R> {
    const AUDIENCE: Audience = Audience::SignedIn;

    fn judge(access: ProjectAccess) -> Result<(), PageFailure> {
        access
            .allows(R::LEAST)
            .then_some(())
            .ok_or_else(PageFailure::not_found)
    }
}

impl<R: Role> Need for Allowed<R> {
    const AUDIENCE: Audience = Audience::SignedIn;

    fn judge(access: ProjectAccess) -> Result<(), PageFailure> {
        access
            .allows(R::LEAST)
            .then_some(())
            .ok_or_else(PageFailure::forbidden)
    }
}
