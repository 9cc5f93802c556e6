//! `/api/v4/projects/:id/registry/repositories/:repository_id/tags`.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use gatehouse_core::container_registry::{ContainerRegistry, ImageTag, is_tag_name};
use projects::ImageRepository;
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get,
};

use super::shared::{
    ImageTagJson, REPOSITORY, TAG, failed, find, find_to_change, reaching_registry, registry,
    repository_id,
};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Images, InFeature, SeesFeature};
use crate::frame::scopes::{Developer, ReadApi, WriteApi};

/// Path of the tags of an image repository.
pub(super) const TAGS: &str = "/api/v4/projects/{id}/registry/repositories/{repository_id}/tags";
const ONE: &str = "/api/v4/projects/{id}/registry/repositories/{repository_id}/tags/{tag_name}";
const RESOURCE: &str = "Tag";
/// Characters of the short form of a revision.
const SHORT: usize = 9;

const NAME: Parameter = Parameter::path(
    "tag_name",
    ParameterKind::Matching("^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$"),
    "Name of the tag.",
)
.example("latest");

/// Tag, with the facts of its image.
#[derive(Debug, Serialize, schemars::JsonSchema)]
struct TagDetailJson {
    #[serde(flatten)]
    tag: ImageTagJson,
    /// Digest of the configuration of the image, without its algorithm; null for a list of images.
    revision: Option<String>,
    /// Beginning of the revision.
    short_revision: Option<String>,
    /// Digest of the manifest.
    digest: String,
    /// Time at which the image was created, if the image states it.
    created_at: Option<Timestamp>,
    /// Size of the configuration and all layers in bytes; null for a list of images.
    total_size: Option<u64>,
}

impl TagDetailJson {
    fn new(registry: &ContainerRegistry, images: &ImageRepository, tag: ImageTag) -> Self {
        let short = tag.revision.as_deref();
        let short = short.map(|revision| revision.chars().take(SHORT).collect());
        Self {
            tag: ImageTagJson::new(registry, images, &tag.name),
            short_revision: short,
            revision: tag.revision,
            digest: tag.digest,
            created_at: tag.created_at,
            total_size: tag.total_size,
        }
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        reaching_registry(
            get("listRegistryTags", TAGS, list)
                .documented(TAG, "List the tags of an image repository")
                .takes([PROJECT, REPOSITORY])
                .paged(Pages::Offset)
                .response(ResponseSpec::json::<Vec<ImageTagJson>>(
                    200,
                    "A page of tags, sorted by name.",
                )),
        ),
        reaching_registry(
            get("showRegistryTag", ONE, show)
                .documented(TAG, "Get a tag of an image repository")
                .takes([PROJECT, REPOSITORY, NAME])
                .response(ResponseSpec::json::<TagDetailJson>(200, "The tag.")),
        ),
        reaching_registry(
            delete("deleteRegistryTag", ONE, remove)
                .documented(TAG, "Delete a tag of an image repository")
                .takes([PROJECT, REPOSITORY, NAME])
                .response(ResponseSpec::empty(
                    204,
                    "Deleted. Other tags of the same image stay.",
                )),
        ),
    ]
}

async fn list(request: SeesFeature<Images, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let id = repository_id(&request)?;
    let registry = registry(&request)?;
    let found = request.read(move |tx, project, _| find(tx, project.id, id));
    let images = found.await?;
    let tags = registry.list_tags(&images.name, request.now()).await;
    let page = Page::of_all(tags.map_err(failed)?, paging);
    request.page(paging, page, |tag| {
        ImageTagJson::new(registry, &images, &tag)
    })
}

async fn show(request: SeesFeature<Images, ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, tag) = (repository_id(&request)?, tag_name(&request)?);
    let registry = registry(&request)?;
    let found = request.read(move |tx, project, _| find(tx, project.id, id));
    let images = found.await?;
    let found = find_tag(&request, registry, &images, tag).await?;
    request.json(&TagDetailJson::new(registry, &images, found))
}

async fn remove(request: InFeature<Images, Developer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, tag) = (repository_id(&request)?, tag_name(&request)?);
    let registry = registry(&request)?;
    let found = request.read(move |tx, project| find_to_change(tx, project, id));
    let (images, _) = found.await?;
    let found = find_tag(&request, registry, &images, tag).await?;
    let changed_at = found.created_at.unwrap_or(images.created_at);
    let proof = request.precondition().check(changed_at)?;
    let deleted = registry.delete_tag(&images.name, found.name, request.now());
    if !deleted.await.map_err(failed)? {
        return Err(ApiError::not_found(RESOURCE).into());
    }
    Ok(Deletion::no_content(proof))
}

async fn find_tag(
    request: &ApiRequest,
    registry: &ContainerRegistry,
    images: &ImageRepository,
    tag: String,
) -> Result<ImageTag, Failure> {
    let found = registry.find_tag(&images.name, tag, request.now()).await;
    let found = found.map_err(failed)?;
    Ok(found.ok_or_else(|| ApiError::not_found(RESOURCE))?)
}

/// Reads the name of a tag in the path.
fn tag_name(request: &ApiRequest) -> Result<String, ApiError> {
    let name = request.segment(NAME.name, RESOURCE)?;
    let name = Some(name).filter(|name| is_tag_name(name));
    name.ok_or_else(|| ApiError::not_found(RESOURCE))
}
