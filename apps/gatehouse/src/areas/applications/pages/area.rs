//! Areas of the application pages.

use actix_web::HttpRequest;
use oauth_provider::ApplicationOwner;

use crate::areas::applications::authorized;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::SiteArea;
use crate::frame::visitor::Visitor;
use gatehouse_core::auth::sessions::LiveSession;

/// Area of the application pages.
/// Both areas have the same pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    /// Applications of the signed-in user.
    Own,
    /// Applications of the instance.
    Instance,
}

impl Area {
    /// Returns the area of a request, by its path.
    pub(super) fn of(request: &HttpRequest) -> Self {
        if request.path().starts_with("/admin/") {
            Self::Instance
        } else {
            Self::Own
        }
    }

    /// Returns the signed-in user and the owner of the applications.
    ///
    /// # Errors
    /// If the visitor is not signed in, or is not an administrator in the area of the instance.
    pub(super) fn enter<'v>(
        self,
        request: &HttpRequest,
        visitor: &'v Visitor,
    ) -> Result<(&'v LiveSession, ApplicationOwner), PageFailure> {
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

    /// Common prefix of the paths of its pages.
    pub(super) const fn base(self) -> &'static str {
        match self {
            Self::Own => "/oauth/applications",
            Self::Instance => "/admin/applications",
        }
    }

    /// Path of its list.
    pub(super) const fn list(self) -> &'static str {
        match self {
            Self::Own => authorized::PATH,
            Self::Instance => "/admin/applications",
        }
    }

    /// Navigation item of the area.
    pub(super) const fn place(self) -> SiteArea {
        match self {
            Self::Own => SiteArea::Applications,
            Self::Instance => SiteArea::Administration,
        }
    }
}
