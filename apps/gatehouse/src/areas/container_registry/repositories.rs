//! `/api/v4/projects/:id/registry/repositories` and `/api/v4/registry/repositories/:id`.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{ImageRepositoryId, ProjectId};
use api_conventions::page::{Page, Total};
use api_conventions::paging::Paging;
use api_conventions::time::Timestamp;
use gatehouse_core::container_registry::ContainerRegistry;
use projects::{ImageRepository, Project};
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get,
};

use super::place::SeesImages;
use super::shared::{
    ImageTagJson, REPOSITORY, TAG, failed, find_to_change, reaching_registry, registry,
    repository_id,
};
use crate::frame::api::ApiRequest;
use crate::frame::project::PROJECT;
use crate::frame::project_feature::{Images, InFeature, SeesFeature};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

pub(super) const TAGS: Parameter = Parameter::query(
    "tags",
    ParameterKind::Boolean,
    "Include the tags (default: false).",
);
pub(super) const TAGS_COUNT: Parameter = Parameter::query(
    "tags_count",
    ParameterKind::Boolean,
    "Include the number of tags (default: false).",
);
pub(super) const SIZE: Parameter = Parameter::query(
    "size",
    ParameterKind::False,
    "Include the size: not supported, because the registry does not report it.",
);
const ID: Parameter = Parameter::path("id", ParameterKind::ID, "ID of the image repository.");

/// Image repository of a project.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct ImageRepositoryJson {
    /// Id.
    id: ImageRepositoryId,
    /// Part of the path after that of the project; empty if the paths are equal.
    name: String,
    /// Name in the registry.
    path: String,
    /// Id of the project.
    project_id: ProjectId,
    /// The path with the host of the registry.
    location: String,
    /// Time at which a client could first push to it.
    created_at: Timestamp,
    /// Always null: there are no cleanup policies.
    cleanup_policy_started_at: Option<Timestamp>,
    /// Always null: a deletion is complete when its response is sent.
    status: Option<&'static str>,
    /// Number of tags; with `tags_count` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    tags_count: Option<usize>,
    /// Tags, sorted by name; with `tags` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<ImageTagJson>>,
}

/// Fields of a response that need calls to the registry.
#[derive(Debug, Clone, Copy)]
pub(super) struct TagFields {
    list: bool,
    count: bool,
}

impl TagFields {
    /// Parses the parameters.
    ///
    /// # Errors
    /// 400 for invalid values, and for the size, which is not supported.
    pub(super) fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        let mut read = request.params().reader();
        let list = read.boolean(TAGS.name).unwrap_or_default();
        let count = read.boolean(TAGS_COUNT.name).unwrap_or_default();
        if read.boolean(SIZE.name) == Some(true) {
            read.fault(SIZE.name, "is not supported: leave it out");
        }
        read.finish()?;
        Ok(Self { list, count })
    }
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        reaching_registry(
            get(
                "listRegistryRepositories",
                "/api/v4/projects/{id}/registry/repositories",
                list,
            )
            .documented(TAG, "List image repositories")
            .takes([PROJECT, TAGS, TAGS_COUNT, SIZE])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ImageRepositoryJson>>(
                200,
                "A page of image repositories, oldest first. Empty if the server has no container registry.",
            )),
        ),
        reaching_registry(
            get(
                "showRegistryRepository",
                "/api/v4/registry/repositories/{id}",
                show,
            )
            .documented(TAG, "Get an image repository")
            .takes([ID, TAGS, TAGS_COUNT, SIZE])
            .response(ResponseSpec::json::<ImageRepositoryJson>(
                200,
                "The image repository.",
            )),
        ),
        reaching_registry(
            delete(
                "deleteRegistryRepository",
                "/api/v4/projects/{id}/registry/repositories/{repository_id}",
                remove,
            )
            .documented(TAG, "Delete an image repository")
            .takes([PROJECT, REPOSITORY])
            .response(ResponseSpec::empty(
                204,
                "Deleted, with all images that have tags.",
            )),
        ),
    ]
}

async fn list(request: SeesFeature<Images, ReadApi>) -> Result<HttpResponse, Failure> {
    let fields = TagFields::read(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request
        .read(move |tx, project, _| Ok((tx.list_image_repositories(project.id, paging)?, project)));
    let (page, project) = found.await?;
    let Some(registry) = request.registry() else {
        return request.page(paging, empty(), |one: ImageRepositoryJson| one);
    };
    let mut items = Vec::with_capacity(page.items.len());
    for images in page.items {
        items.push(describe(registry, &images, &project, fields, request.now()).await?);
    }
    let page = Page {
        items,
        has_next: page.has_next,
        total: page.total,
    };
    request.page(paging, page, |one| one)
}

/// Returns the page of a list without rows.
pub(super) fn empty<T>() -> Page<T> {
    Page {
        items: Vec::new(),
        has_next: false,
        total: Total::Exact(0),
    }
}

async fn show(request: SeesImages) -> Result<HttpResponse, Failure> {
    let fields = TagFields::read(&request)?;
    let found = request.read(|_, place, _| Ok(place));
    let (images, project) = found.await?;
    let registry = registry(&request)?;
    let shown = describe(registry, &images, &project, fields, request.now()).await?;
    request.json(&shown)
}

async fn remove(request: InFeature<Images, Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, now) = (repository_id(&request)?, request.now());
    let registry = registry(&request)?;
    let found = request.read(move |tx, project| find_to_change(tx, project, id));
    let (images, _) = found.await?;
    let proof = request.precondition().check(images.created_at)?;
    let deleted = registry.delete_all_tags(&images.name, now).await;
    deleted.map_err(failed)?;
    let deleted = request.write(move |tx, _| {
        tx.delete_image_cleanup(&images.name)?;
        Ok(tx.delete_image_repository(id)?)
    });
    deleted.await?;
    Ok(Deletion::no_content(proof))
}

/// Builds the response of an image repository. Lists its tags in the registry if a field needs them.
pub(super) async fn describe(
    registry: &ContainerRegistry,
    images: &ImageRepository,
    project: &Project,
    fields: TagFields,
    now: Timestamp,
) -> Result<ImageRepositoryJson, Failure> {
    let mut tags = Vec::new();
    if fields.list || fields.count {
        let listed = registry.list_tags(&images.name, now).await;
        tags = listed.map_err(failed)?;
    }
    let tag = |name: &String| ImageTagJson::new(registry, images, name);
    Ok(ImageRepositoryJson {
        id: images.id,
        name: name_in_project(&images.name, project),
        path: images.name.clone(),
        project_id: images.project_id,
        location: registry.location(&images.name),
        created_at: images.created_at,
        cleanup_policy_started_at: None,
        status: None,
        tags_count: fields.count.then_some(tags.len()),
        tags: fields.list.then(|| tags.iter().map(tag).collect()),
    })
}

/// Returns the part of a name after the path of the project. After a rename of the project it is the whole name.
fn name_in_project(name: &str, project: &Project) -> String {
    let path = project.full_path.as_str().to_lowercase();
    match name.strip_prefix(&path) {
        Some("") => String::new(),
        Some(rest) => rest.strip_prefix('/').unwrap_or(name).to_owned(),
        None => name.to_owned(),
    }
}
