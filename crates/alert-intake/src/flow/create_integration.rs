//! Creation of alert endpoints.

use api_conventions::ids::IntegrationId;
use storage::{StoreError, StoreErrorKind};

use crate::model::NewIntegration;
use crate::store::{AlertRepository, InsertIntegration};

/// Creates an endpoint.
///
/// # Errors
/// Failures of the store; a conflict if the identifier is taken in the project, which cannot happen with a random
/// identifier or in a new project.
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
