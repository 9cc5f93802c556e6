//! `gatehouse openapi`: the document of the API, for code generators and reviews.

use anyhow::Context as _;
use deprecations::{Edition, NEWEST, edition_named};

use super::output;
use crate::areas::api_help::openapi_document;

/// Prints the document. No configuration and no database is read.
pub(super) fn openapi(release: Option<&String>) -> anyhow::Result<()> {
    let newest = Edition::of(NEWEST);
    let at = release.map_or(Ok(newest), |name| edition_named(name))?;
    let text = serde_json::to_string_pretty(&openapi_document("", at));
    output::line(&text.context("the document cannot be written as JSON")?);
    Ok(())
}
