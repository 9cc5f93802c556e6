//! `gatehouse openapi`: the document of the API, for code generators and reviews.

use anyhow::Context as _;

use super::output;
use crate::areas::api_help::openapi_document;

/// Prints the document. No configuration and no database is read.
pub(super) fn openapi() -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(&openapi_document(""));
    output::line(&text.context("the document cannot be written as JSON")?);
    Ok(())
}
