//! Texts of files, without any markup.

use actix_web::HttpResponse;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    X_CONTENT_TYPE_OPTIONS,
};
use api_conventions::error::ApiError;
use api_conventions::ids::SnippetId;
use gatehouse_core::database::ReadTransaction;
use projects::SnippetFile;
use schemars::{Schema, SchemaGenerator, json_schema};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Body, Content, Parameter, ParameterKind, ResponseSpec};

use crate::frame::api::ApiRequest;

/// Names of the only version of a snippet, which is no Git repository here.
pub(super) const REFS: [&str; 2] = ["main", "HEAD"];

pub(super) const REF: Parameter = Parameter::path(
    "ref",
    ParameterKind::Word(&REFS),
    "Version: `main` or `HEAD`, which are the same.",
);
pub(super) const FILE_PATH: Parameter = Parameter::path(
    "file_path",
    ParameterKind::Text { min: 1, max: 1024 },
    "Percent-encoded path of the file.",
);

/// File of a snippet whose text is requested.
#[derive(Debug, Clone)]
pub(super) enum RequestedFile {
    /// First file.
    First,
    /// File with a path.
    At(String),
}

impl RequestedFile {
    /// Reads the file in the path of a request.
    ///
    /// # Errors
    /// 404 for another version than the only one.
    pub(super) fn of(request: &ApiRequest) -> Result<Self, ApiError> {
        let version = request.segment(REF.name, "Reference")?;
        if !REFS.contains(&&*version) {
            return Err(ApiError::not_found("Reference"));
        }
        request.segment(FILE_PATH.name, "File").map(Self::At)
    }

    /// Finds the text of the file; `None` if the snippet has no such file.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn find(
        &self,
        tx: &mut dyn ReadTransaction,
        id: SnippetId,
    ) -> Result<Option<String>, StoreError> {
        let is_requested = |file: &SnippetFile| match self {
            Self::First => true,
            Self::At(path) => file.path == *path,
        };
        let files = tx.list_snippet_files(id)?;
        Ok(files
            .into_iter()
            .find(is_requested)
            .map(|file| file.content))
    }

    /// Finds the text of the file.
    ///
    /// # Errors
    /// 404 if the snippet has no such file; failures of the store.
    pub(super) fn text(
        &self,
        tx: &mut dyn ReadTransaction,
        id: SnippetId,
    ) -> Result<String, Failure> {
        let found = self.find(tx, id)?;
        found.ok_or_else(|| ApiError::not_found("File").into())
    }
}

/// Declared response.
pub(super) fn raw_response() -> ResponseSpec {
    ResponseSpec {
        status: 200,
        about: "The text of the file.",
        content: Content::Of(Body {
            media_type: "text/plain",
            schema: text_schema,
        }),
    }
}

fn text_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "string"})
}

/// Responds with a text that users wrote. Browsers show it as plain text, and run nothing in it.
pub(super) fn raw_text(content: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/plain; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, "inline"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"))
        .body(content)
}
