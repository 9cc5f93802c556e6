//! `gatehouse copy`.

use anyhow::Context as _;
use clap::Args;
use gatehouse_core::backup::{self as backups, CopiedDatabase};
use gatehouse_core::database::open_existing;
use serde_json::json;

use super::output;
use crate::config::{DatabaseUrl, Overrides, load};

#[derive(Debug, Args)]
pub(super) struct CopyFlags {
    /// Empty database to fill: sqlite:PATH or postgres://…
    #[arg(long, value_name = "URL")]
    to: String,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Copies the configured database into an empty one.
pub(super) fn copy(overrides: &Overrides, flags: &CopyFlags) -> anyhow::Result<()> {
    let target = DatabaseUrl::parse(&flags.to);
    let target = target.context("--to is not a database: use sqlite:PATH or postgres://…")?;
    let settings = load(overrides)?;
    let source = open_existing(&settings.database)?;
    let copied = backups::copy(&source, &settings.security, &target)?;
    source.close();
    let (from, to) = (settings.database.url.to_string(), target.to_string());
    let CopiedDatabase { tables, key_id, .. } = &copied;
    if flags.json {
        let tables = tables.iter().map(|table| {
            let totals = json!({ "rows": table.rows, "digest": table.digest });
            (table.name.clone(), totals)
        });
        let tables: serde_json::Map<_, _> = tables.collect();
        return output::json(&json!({
            "copied_from": from,
            "copied_to": to,
            "rows": copied.rows(),
            "tables": tables,
            "secret_key_id": key_id,
        }));
    }
    let rows = tables.iter().map(|table| {
        let digest = table.digest.get(..16).unwrap_or_default();
        (table.name.as_str(), format!("{:>9}  {digest}", table.rows))
    });
    output::table(&rows.collect::<Vec<_>>());
    output::line(&format!(
        "\nCopied {} rows from {from} to {to}; the rows that were read back have the digests above.",
        copied.rows()
    ));
    if let Some(id) = key_id {
        output::line(&format!(
            "\nA server on the copy needs the secret key with the id {id}, which is not copied: keep {}, or set \
             security.secret_key.",
            settings.security.secret_key_file.display()
        ));
    }
    Ok(())
}
