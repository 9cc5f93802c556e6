//! Whose applications a page is about.

use actix_web::HttpRequest;
use oauth_provider::ApplicationOwner;

use crate::areas::applications::authorized;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::Place;
use crate::frame::visitor::Visitor;
use gatehouse_core::auth::sessions::SignedIn;

/// One of the two areas, which have the same pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    /// One's own applications.
    Own,
    /// The applications of the instance.
    Instance,
}

impl Area {
    /// The area of a request, by its path.
    pub(super) fn of(request: &HttpRequest) -> Self {
        if request.path().starts_with("/admin/") {
            Self::Instance
        } else {
            Self::Own
        }
    }

    /// Who works here, and whose applications.
    ///
    /// # Errors
    /// When nobody is signed in, and in the area of the instance for anyone who does not administer it.
    pub(super) fn enter<'v>(
        self,
        request: &HttpRequest,
        visitor: &'v Visitor,
    ) -> Result<(&'v SignedIn, ApplicationOwner), PageFailure> {
        match self {
            Self::Own => {
                let member = visitor.member(request)?;
                Ok((member, ApplicationOwner::User(member.user.id)))
            }
            Self::Instance => {
                let member = visitor.administrator(request)?;
                Ok((member, ApplicationOwner::Instance))
            }
        }
    }

    /// What the addresses of its pages begin with.
    pub(super) const fn base(self) -> &'static str {
        match self {
            Self::Own => "/oauth/applications",
            Self::Instance => "/admin/applications",
        }
    }

    /// Where its list is.
    pub(super) const fn list(self) -> &'static str {
        match self {
            Self::Own => authorized::PATH,
            Self::Instance => "/admin/applications",
        }
    }

    /// Where it is in the navigation.
    pub(super) const fn place(self) -> Place {
        match self {
            Self::Own => Place::Applications,
            Self::Instance => Place::Administration,
        }
    }
}
