//! `gatehouse config`.

use clap::Args;
use serde_json::json;

use super::listing::{Listing, TableColumn};
use crate::config::{Overrides, effective_values, load};

const COLUMNS: &[TableColumn] = &[("key", 34), ("value", 24), ("source", 0)];

#[derive(Debug, Args)]
pub(super) struct ConfigFlags {
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

/// Prints every key that has a value, with the source of the value.
/// Fails afterwards if the configuration is invalid, with all of its faults.
pub(super) fn config(overrides: &Overrides, flags: &ConfigFlags) -> anyhow::Result<()> {
    let values = effective_values(overrides)?;
    let listing = Listing::begin(COLUMNS, flags.json);
    for value in values {
        listing.row(&json!({
            "key": value.key,
            "value": value.text,
            "source": value.source,
        }))?;
    }
    load(overrides)?;
    Ok(())
}
