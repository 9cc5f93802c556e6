//! Project exports.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    X_CONTENT_TYPE_OPTIONS,
};
use api_conventions::error::ApiError;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::export_project::{ExportError, export_project, note_export};
use projects::Project;
use projects::archive::write;
use projects::flow::full_names::full_names;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use web_conventions::failure::Failure;
use web_conventions::operations::{Body, Content, Operation, ResponseSpec, get, post};

use super::import_status::ExportStatus;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const TAG: &str = "projects";

/// The media type of archives.
const GZIP: &str = "application/gzip";

/// Response to an export request.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Accepted")]
struct ExportAccepted {
    message: &'static str,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let too_large = ResponseSpec::refusal(422, "The project is too large for an archive.");
    let archive = ResponseSpec {
        status: 200,
        about: "The archive, as a gzipped tar file.",
        content: Content::Of(Body {
            media_type: GZIP,
            schema: bytes,
        }),
    };
    vec![
        get("showProjectExport", "/api/v4/projects/{id}/export", show)
            .documented(TAG, "Get the export status of a project")
            .takes([PROJECT])
            .response(ResponseSpec::json::<ExportStatus>(
                200,
                "The archive can be downloaded.",
            )),
        post("startProjectExport", "/api/v4/projects/{id}/export", start)
            .documented(
                TAG,
                "Export a project; the archive is created on download, so it is available at once",
            )
            .takes([PROJECT])
            .response(ResponseSpec::json::<ExportAccepted>(
                202,
                "The archive can be downloaded.",
            )),
        get(
            "downloadProjectExport",
            "/api/v4/projects/{id}/export/download",
            download,
        )
        .documented(
            TAG,
            "Download the archive of a project: labels, milestones, issues and notes",
        )
        .takes([PROJECT])
        .response(archive)
        .response(too_large),
    ]
}

fn bytes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "binary"})
}

async fn start(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    request.read(|_, _| Ok(())).await?;
    Ok(HttpResponse::Accepted().json(ExportAccepted {
        message: "202 Accepted",
    }))
}

async fn show(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let found = request.read(|tx, project| Ok(full_names(tx, std::slice::from_ref(project))?));
    let (names, project) = found.await?;
    request.json(&ExportStatus::of(&project, &names, request.base_url()))
}

/// Downloads an export.
/// All data of the project leaves the server, so the audit log records who exported it.
async fn download(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (actor, now) = (request.actor(), request.now());
    let read = request.read(|tx, project| Ok(export_project(tx, project).map_err(ApiError::from)?));
    let (archive, _) = read.await?;
    let archive_bytes = request.run_blocking(move || write(&archive, now)).await?;
    let too_much = |error| ApiError::from(ExportError::TooMuch(error));
    let archive_bytes = archive_bytes.map_err(too_much)?;
    let noted = request.manage(move |tx, project, _| {
        note_export(tx, &project, actor)?;
        Ok(project)
    });
    let name = file_name(&noted.await?, now);
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, GZIP))
        .insert_header((
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, "sandbox"))
        .body(archive_bytes))
}

/// File name such as `2024-02-29_web.tar.gz`: the day and the last path segment, which has no character with a meaning
/// in a header.
fn file_name(project: &Project, now: Timestamp) -> String {
    format!("{}_{}.tar.gz", now.date(), project.path)
}
