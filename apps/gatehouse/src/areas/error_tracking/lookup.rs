//! Errors that a request identifies by their IID.

use api_conventions::error::ApiError;
use api_conventions::ids::{ErrorIid, ProjectId};
use error_tracking::model::TrackedError;
use error_tracking::store::MergedErrorRef;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::errors::ErrorRefusal;
use web_conventions::failure::Failure;
use web_conventions::operations::{Parameter, ParameterKind};

use super::change::refused;
use crate::frame::api::ApiRequest;
use crate::frame::old_address::Address;

pub(super) const IID: Parameter =
    Parameter::path("iid", ParameterKind::ID, "The IID of the error.");
/// Resource name of an error in refusals.
pub(super) const RESOURCE: &str = "Error";
/// Index of the IID segment in `/api/v4/projects/<id>/error_tracking/errors/<iid>`.
const IID_SEGMENT: usize = 7;

/// Result of looking up an error by its IID.
pub(super) enum ErrorLookup {
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
) -> Result<ErrorLookup, Failure> {
    let settings = tx.find_error_settings(project)?;
    if settings.is_some_and(|settings| settings.is_external()) {
        return Err(refused(ErrorRefusal::External));
    }
    if let Some(error) = tx.find_error(project, iid)? {
        return Ok(ErrorLookup::Found(Box::new(error)));
    }
    let merged = tx.find_merged_error(MergedErrorRef::Iid(project, iid))?;
    let into = merged.ok_or_else(|| ApiError::not_found(RESOURCE))?;
    Ok(ErrorLookup::Merged(into.iid))
}

/// Finds the error with this IID for a change, because a redirect would not carry the change along.
pub(super) fn find(
    tx: &mut dyn ReadTransaction,
    project: ProjectId,
    iid: ErrorIid,
) -> Result<TrackedError, Failure> {
    match look_up(tx, project, iid)? {
        ErrorLookup::Found(error) => Ok(*error),
        ErrorLookup::Merged(_) => Err(refused(ErrorRefusal::Merged)),
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
            ErrorLookup::Found(error) => Ok(*error),
            ErrorLookup::Merged(into) => {
                let moved = self.address.redirect(IID_SEGMENT, into.get(), RESOURCE);
                Err(moved.into())
            }
        }
    }
}

/// Parses the IID in the path of a request.
pub(super) fn iid_of(request: &ApiRequest) -> Result<ErrorIid, ApiError> {
    request.number(IID.name, RESOURCE).map(ErrorIid::new)
}
