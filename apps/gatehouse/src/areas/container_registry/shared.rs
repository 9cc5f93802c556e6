//! Parts that the operations on repositories and on tags share.

use api_conventions::error::ApiError;
use api_conventions::ids::{ImageRepositoryId, ProjectId};
use gatehouse_core::container_registry::{ContainerRegistry, RegistryFailure};
use gatehouse_core::database::ReadTransaction;
use projects::{ImageRepository, Project};
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec};

use crate::frame::api::ApiRequest;

/// Tag of the operations in the document.
pub(super) const TAG: &str = "registry";
/// Name of an image repository in refusals.
pub(super) const RESOURCE: &str = "Image repository";

/// Path parameter that identifies the image repository.
pub(super) const REPOSITORY: Parameter = Parameter::path(
    "repository_id",
    ParameterKind::ID,
    "ID of the image repository.",
);

/// Tag in a list.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct ImageTagJson {
    /// Name of the tag.
    name: String,
    /// Name of the image repository and of the tag.
    path: String,
    /// The same with the host of the registry.
    location: String,
}

impl ImageTagJson {
    /// Creates the entry of a tag.
    pub(super) fn new(registry: &ContainerRegistry, images: &ImageRepository, tag: &str) -> Self {
        let path = format!("{}:{tag}", images.name);
        Self {
            name: tag.to_owned(),
            location: registry.location(&path),
            path,
        }
    }
}

/// Adds the responses of operations that reach the registry.
pub(super) fn reaching_registry(operation: Operation) -> Operation {
    operation
        .response(ResponseSpec::refusal(
            502,
            "The container registry failed or returned an unexpected response.",
        ))
        .response(ResponseSpec::refusal(
            504,
            "The operation takes longer than one request may. A repeated deletion continues.",
        ))
}

/// Returns the registry.
///
/// # Errors
/// 404 if the server has none.
pub(super) fn registry(request: &ApiRequest) -> Result<&ContainerRegistry, ApiError> {
    let registry = request.registry();
    registry.ok_or_else(|| ApiError::not_found("Container registry"))
}

/// Reads the id of an image repository in the path.
///
/// # Errors
/// 404 for anything but a number.
pub(super) fn repository_id(request: &ApiRequest) -> Result<ImageRepositoryId, ApiError> {
    let number = request.number(REPOSITORY.name, RESOURCE)?;
    Ok(ImageRepositoryId::new(number))
}

/// Finds an image repository of a project.
///
/// # Errors
/// 404 for an unknown repository; failures of the store.
pub(super) fn find(
    tx: &mut (dyn ReadTransaction + '_),
    project: ProjectId,
    id: ImageRepositoryId,
) -> Result<ImageRepository, Failure> {
    let found = tx.find_image_repository(id)?;
    let found = found.filter(|images| images.project_id == project);
    Ok(found.ok_or_else(|| ApiError::not_found(RESOURCE))?)
}

/// Finds an image repository of a project that is not archived, to delete images from it.
///
/// # Errors
/// 403 for an archived project; the same as [`find`].
pub(super) fn find_to_change(
    tx: &mut (dyn ReadTransaction + '_),
    project: &Project,
    id: ImageRepositoryId,
) -> Result<ImageRepository, Failure> {
    if project.archived {
        return Err(ApiError::forbidden_because("the project is archived").into());
    }
    find(tx, project.id, id)
}

/// Response to a failed operation on the registry.
pub(super) fn failed(failure: RegistryFailure) -> Failure {
    let text = failure.to_string();
    let refusal = match failure {
        RegistryFailure::Busy => ApiError::unavailable(5),
        RegistryFailure::Incomplete => ApiError::gateway_timeout(&text),
        RegistryFailure::Signature => ApiError::internal(),
        _ => ApiError::bad_gateway(&text),
    };
    Failure::caused(refusal, failure).because("container registry")
}
