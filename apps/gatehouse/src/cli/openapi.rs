//! `gatehouse openapi`: prints the `OpenAPI` document, for code generators and reviews.

use anyhow::Context as _;
use deprecations::{Edition, NEWEST, edition_named};

use super::output;
use crate::areas::api_help::openapi_document;

/// Prints the document.
/// Reads neither the configuration nor the database.
pub(super) fn openapi(release: Option<&String>) -> anyhow::Result<()> {
    let newest = Edition::of(NEWEST);
    let at = release.map_or(Ok(newest), |name| edition_named(name))?;
    let text = serde_json::to_string_pretty(&openapi_document("", at));
    output::line(&text.context("cannot serialize the document as JSON")?);
    Ok(())
}
