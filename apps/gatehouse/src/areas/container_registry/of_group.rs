//! `/api/v4/groups/:id/registry/repositories`.

use actix_web::HttpResponse;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use projects::rules::features::{Feature, Readers};
use projects::{ImageRepository, Project};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, ResponseSpec, get};

use super::repositories::{
    ImageRepositoryJson, SIZE, TAGS, TAGS_COUNT, TagFields, describe, empty,
};
use super::shared::{TAG, reaching_registry};
use crate::frame::group::{GROUP, InGroup};
use crate::frame::scopes::{ReadApi, Reporter};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![reaching_registry(
        get(
            "listGroupRegistryRepositories",
            "/api/v4/groups/{id}/registry/repositories",
            list,
        )
        .documented(TAG, "List the image repositories of a group")
        .takes([GROUP, TAGS, TAGS_COUNT, SIZE])
        .paged(Pages::Offset)
        .response(ResponseSpec::json::<Vec<ImageRepositoryJson>>(
            200,
            "A page of the image repositories of all projects in the group and its subgroups, by project. Those of projects \
             with images turned off are left out. Empty if the server has no container registry.",
        )),
    )]
}

async fn list(request: InGroup<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let fields = TagFields::read(&request)?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, group| {
        let page = tx.list_image_repositories_of_group(group.id, paging)?;
        let ids: Vec<_> = page.items.iter().map(|images| images.project_id).collect();
        let projects = tx.list_projects_by_id(&ids)?;
        Ok((page, projects))
    });
    let ((page, projects), _) = found.await?;
    let Some(registry) = request.registry() else {
        return request.page(paging, empty(), |one: ImageRepositoryJson| one);
    };
    let mut items = Vec::with_capacity(page.items.len());
    for (images, project) in with_projects(page.items, &projects) {
        items.push(describe(registry, &images, project, fields, request.now()).await?);
    }
    let page = Page {
        items,
        has_next: page.has_next,
        total: page.total,
    };
    request.page(paging, page, |one| one)
}

/// Returns the repositories of projects in which images are not turned off. Members with the role in the group have it in
/// every project.
fn with_projects(
    items: Vec<ImageRepository>,
    projects: &[Project],
) -> impl Iterator<Item = (ImageRepository, &Project)> {
    items.into_iter().filter_map(|images| {
        let mut projects = projects.iter();
        let project = projects.find(|project| project.id == images.project_id);
        Some((images, project.filter(|project| has_images(project))?))
    })
}

/// True if images are not turned off in the project.
fn has_images(project: &Project) -> bool {
    Feature::ContainerRegistry.readers(&project.settings) != Readers::Nobody
}
