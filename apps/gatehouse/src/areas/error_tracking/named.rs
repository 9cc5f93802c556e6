//! Errors that a request names by their number in a project.

use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ProjectId};
use error_tracking::model::TrackedError;
use error_tracking::store::FormerNumber;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::errors::ErrorRefusal;
use web_conventions::failure::Failure;
use web_conventions::operations::{Kind, Parameter};

use super::change::refused;
use crate::frame::api::ApiRequest;
use crate::frame::old_address::Address;

pub(super) const IID: Parameter =
    Parameter::path("iid", Kind::ID, "The number of the error in its project.");
/// Name of an error in refusals.
pub(super) const THING: &str = "Error";
/// Position of the number of an error in `/api/v4/projects/<id>/error_tracking/errors/<iid>`.
const IID_SEGMENT: usize = 7;

/// Outcome of looking for the number of an error.
pub(super) enum Lookup {
    /// The error with the number.
    Found(Box<TrackedError>),
    /// The number of the error that the one with this number was merged into.
    Merged(ErrorIid),
}

/// Looks for the error with this number, where errors are kept here. What was collected before a project changed to an external
/// tracker must not be taken for an error of that tracker.
pub(super) fn look_up(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
    iid: ErrorIid,
) -> Result<Lookup, Failure> {
    let settings = tx.find_error_settings(project)?;
    if settings.is_some_and(|settings| settings.is_external()) {
        return Err(refused(ErrorRefusal::Elsewhere));
    }
    if let Some(error) = tx.find_error(project, iid)? {
        return Ok(Lookup::Found(Box::new(error)));
    }
    let merged = tx.find_merged_error(FormerNumber::Iid(project, iid))?;
    let into = merged.ok_or_else(|| ApiError::not_found(THING))?;
    Ok(Lookup::Merged(into.iid))
}

/// Finds the error with this number for a change, which a redirect would not carry along.
pub(super) fn find(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
    iid: ErrorIid,
) -> Result<TrackedError, Failure> {
    match look_up(tx, project, iid)? {
        Lookup::Found(error) => Ok(*error),
        Lookup::Merged(_) => Err(refused(ErrorRefusal::Merged)),
    }
}

/// The error that the path of an API request names.
pub(super) struct NamedError {
    pub(super) iid: ErrorIid,
    address: Address,
}

impl NamedError {
    pub(super) fn of(request: &ApiRequest) -> Result<Self, ApiError> {
        Ok(Self {
            iid: iid_of(request)?,
            address: Address::of(request),
        })
    }

    /// Finds the error. A number that was merged into another error is a redirect to that one.
    pub(super) fn find(
        &self,
        tx: &mut dyn ReadTransaction,
        project: ProjectId,
    ) -> Result<TrackedError, Failure> {
        match look_up(tx, project, self.iid)? {
            Lookup::Found(error) => Ok(*error),
            Lookup::Merged(into) => {
                let moved = self.address.lead_to((IID_SEGMENT, into.get()), THING);
                Err(moved.into())
            }
        }
    }
}

/// The number in the path of a request.
pub(super) fn iid_of(request: &ApiRequest) -> Result<ErrorIid, ApiError> {
    request.number(IID.name, THING).map(ErrorIid::new)
}
