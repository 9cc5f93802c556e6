//! Errors that a request identifies by their IID.

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
/// Resource name of an error in refusals.
pub(super) const THING: &str = "Error";
/// Index of the IID segment in `/api/v4/projects/<id>/error_tracking/errors/<iid>`.
const IID_SEGMENT: usize = 7;

/// Result of looking up an error by its IID.
pub(super) enum Lookup {
    /// The error with this IID.
    Found(Box<TrackedError>),
    /// IID of the error into which the one with this IID was merged.
    Merged(ErrorIid),
}

/// Looks up an error by IID, if this server stores the project's errors.
/// Errors collected before a project switched to an external tracker must not be mistaken for errors of that tracker.
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

/// Finds the error with this IID for a change, because a redirect would not carry the change along.
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

/// Error named in the path of an API request.
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

    /// Finds the error.
    /// An IID that was merged into another error redirects to that one.
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

/// Parses the IID in the path of a request.
pub(super) fn iid_of(request: &ApiRequest) -> Result<ErrorIid, ApiError> {
    request.number(IID.name, THING).map(ErrorIid::new)
}
