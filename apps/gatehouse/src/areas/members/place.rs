//! Projects and groups as places with members.
//! The operations are the same for both.

use projects::flow::members::{MemberActor, MemberContext, MemberError};
use projects::{Group, Project, Viewer};
use web_conventions::failure::Failure;
use web_conventions::operations::{Parameter, ParameterKind};

use crate::frame::api::ApiRequest;
use crate::frame::group::{GROUP, Groups};
use crate::frame::place::PlaceKind;
use crate::frame::project::{PROJECT, Projects};
use crate::frame::scopes::{Maintainer, Owner, Role};

pub(super) const TAG: &str = "members";

/// Path parameter for the user.
pub(super) const USER: Parameter =
    Parameter::path("user_id", ParameterKind::ID, "The id of the user.");

/// A kind of place that has members.
pub(super) trait HasMembers: PlaceKind {
    /// Minimum role that manages the members.
    type Manager: Role;
    /// Path parameter for the place.
    const PARAMETER: Parameter;

    /// Converts the place to the type that the member flows take.
    fn members(found: &Self::Place) -> MemberContext;
}

impl HasMembers for Projects {
    type Manager = Maintainer;
    const PARAMETER: Parameter = PROJECT;

    fn members(project: &Project) -> MemberContext {
        project.into()
    }
}

impl HasMembers for Groups {
    type Manager = Owner;
    const PARAMETER: Parameter = GROUP;

    fn members(group: &Group) -> MemberContext {
        group.into()
    }
}

/// Actor and time of a request.
pub(super) fn member_actor(viewer: Viewer, request: &ApiRequest) -> MemberActor {
    MemberActor {
        viewer,
        now: request.now(),
    }
}

/// Response to a refused request.
pub(super) fn refused(error: MemberError) -> Failure {
    match error {
        MemberError::Store(error) => error.into(),
        refusal => api_conventions::error::ApiError::from(refusal).into(),
    }
}
