//! Projects and groups as places with members.
//! The operations are the same for both.

use projects::flow::members::{Acting, MemberError, MembersOf};
use projects::{Group, Project, Viewer};
use web_conventions::failure::Failure;
use web_conventions::operations::{Kind, Parameter};

use crate::frame::api::ApiRequest;
use crate::frame::group::{GROUP, Groups};
use crate::frame::place::PlaceKind;
use crate::frame::project::{PROJECT, Projects};
use crate::frame::scopes::{Maintainer, Owner, Role};

pub(super) const TAG: &str = "members";

/// Path parameter for the user.
pub(super) const USER: Parameter = Parameter::path("user_id", Kind::ID, "The id of the user.");

/// A kind of place that has members.
pub(super) trait HasMembers: PlaceKind {
    /// Minimum role that manages the members.
    type Manager: Role;
    /// Path parameter for the place.
    const PARAMETER: Parameter;

    /// Converts the place to the type that the member flows take.
    fn members(found: &Self::Found) -> MembersOf;
}

impl HasMembers for Projects {
    type Manager = Maintainer;
    const PARAMETER: Parameter = PROJECT;

    fn members(project: &Project) -> MembersOf {
        project.into()
    }
}

impl HasMembers for Groups {
    type Manager = Owner;
    const PARAMETER: Parameter = GROUP;

    fn members(group: &Group) -> MembersOf {
        group.into()
    }
}

/// Actor and time of a request.
pub(super) fn acting(viewer: Viewer, asked: &ApiRequest) -> Acting {
    Acting {
        viewer,
        now: asked.now(),
    }
}

/// Response to a refused request.
pub(super) fn refused(error: MemberError) -> Failure {
    match error {
        MemberError::Store(error) => error.into(),
        refusal => api_conventions::error::ApiError::from(refusal).into(),
    }
}
