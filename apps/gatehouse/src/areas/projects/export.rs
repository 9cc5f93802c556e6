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
use web_conventions::operations::{Answer, Body, Content, Operation, get, post};

use super::import_status::ExportStatus;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Read, Write};

const TAG: &str = "projects";

/// The media type of archives.
const GZIP: &str = "application/gzip";

/// Response to an export request.
#[derive(Serialize, JsonSchema)]
struct Accepted {
    message: &'static str,
}

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let too_large = Answer::refusal(422, "There is more in the project than an archive takes.");
    let archive = Answer {
        status: 200,
        about: "The archive: a tar file, compressed with gzip.",
        content: Content::Of(Body {
            media_type: GZIP,
            schema: bytes,
        }),
    };
    vec![
        get("showProjectExport", "/api/v4/projects/{id}/export", show)
            .documented(TAG, "Show where the archive of a project is")
            .takes([PROJECT])
            .answers(Answer::json::<ExportStatus>(200, "It can be downloaded.")),
        post("startProjectExport", "/api/v4/projects/{id}/export", start)
            .documented(
                TAG,
                "Ask for an archive of a project. It is made when it is downloaded, so nothing has to be waited for",
            )
            .takes([PROJECT])
            .answers(Answer::json::<Accepted>(202, "It can be downloaded.")),
        get(
            "downloadProjectExport",
            "/api/v4/projects/{id}/export/download",
            download,
        )
        .documented(
            TAG,
            "Download an archive of a project with its labels, milestones, issues and notes",
        )
        .takes([PROJECT])
        .answers(archive)
        .answers(too_large),
    ]
}

fn bytes(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string", "format": "binary"})
}

async fn start(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    asked.read(|_, _| Ok(())).await?;
    Ok(HttpResponse::Accepted().json(Accepted {
        message: "202 Accepted",
    }))
}

async fn show(asked: InProject<Maintainer, Read>) -> Result<HttpResponse, Failure> {
    let found = asked.read(|tx, project| Ok(full_names(tx, std::slice::from_ref(project))?));
    let (names, project) = found.await?;
    asked.json(&ExportStatus::of(&project, &names, asked.base_url()))
}

/// Downloads an export.
/// All data of the project leaves the server, so the audit log records who exported it.
async fn download(asked: InProject<Maintainer, Read>) -> Result<HttpResponse, Failure> {
    let (actor, now) = (asked.by(), asked.now());
    let read = asked.read(|tx, project| Ok(export_project(tx, project).map_err(ApiError::from)?));
    let (archive, _) = read.await?;
    let packed = asked.aside(move || write(&archive, now)).await?;
    let too_much = |error| ApiError::from(ExportError::TooMuch(error));
    let packed = packed.map_err(too_much)?;
    let noted = asked.manage(move |tx, project, _| {
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
        .body(packed))
}

/// File name such as `2024-02-29_web.tar.gz`: the day and the last path segment, which has no character with a meaning
/// in a header.
fn file_name(project: &Project, now: Timestamp) -> String {
    format!("{}_{}.tar.gz", now.date(), project.path)
}
