//! Making an endpoint that receives alerts.

use api_conventions::ids::IntegrationId;
use storage::{StoreError, StoreErrorKind};

use crate::model::NewIntegration;
use crate::store::{AlertRepository, InsertIntegration};

/// Makes an endpoint.
///
/// # Errors
/// Failures of the store; a conflict when the identifier is taken in the project, which a random identifier or a
/// new project rules out.
pub fn create_integration<R: AlertRepository + ?Sized>(
    repos: &mut R,
    request: &NewIntegration,
) -> Result<IntegrationId, StoreError> {
    match repos.insert_integration(request)? {
        InsertIntegration::Inserted(id) => Ok(id),
        InsertIntegration::IdentifierTaken => Err(StoreError::new(
            StoreErrorKind::Conflict,
            "insert an alert endpoint",
        )),
    }
}
