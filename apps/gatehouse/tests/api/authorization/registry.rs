//! Valid requests for image repositories, which are created in the database: clients of the registry create them.

use std::sync::atomic::{AtomicU32, Ordering};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;
use crate::support::rows::{change, number};

/// A valid request for an operation of the area; `None` for any other.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let list = fixture.server.below_project("/registry/repositories");
    if !operation.contains("Registry") {
        return None;
    }
    let id = create(fixture);
    let tags = format!("{list}/{id}/tags");
    Some(get(match operation {
        "listRegistryRepositories" => list,
        "showRegistryRepository" => format!("/api/v4/registry/repositories/{id}"),
        "deleteRegistryRepository" => format!("{list}/{id}"),
        "listGroupRegistryRepositories" => "/api/v4/groups/acme/registry/repositories".to_owned(),
        "listRegistryTags" => tags,
        "deleteRegistryTags" => format!("{tags}?name_regex_delete=v.*"),
        "showRegistryTag" | "deleteRegistryTag" => format!("{tags}/latest"),
        _ => return None,
    }))
}

/// Creates an image repository of the project, and returns its id.
fn create(fixture: &AuthorizationFixture<'_>) -> i64 {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let server = fixture.server;
    let fresh = NUMBER.fetch_add(1, Ordering::Relaxed);
    let insert = format!(
        "INSERT INTO image_repositories (project_id, name, created_at) \
         VALUES ({}, 'acme/web-shop/{fresh}', 1577836800000000)",
        server.project()
    );
    change(server, &insert);
    number(server, "SELECT max(id) FROM image_repositories")
}
