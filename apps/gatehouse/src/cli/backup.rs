//! `gatehouse backup` and `gatehouse restore`.

use std::path::{Path, PathBuf};

use api_conventions::time::Clock as _;
use clap::Args;
use gatehouse_core::backup::{self as backups, Manifest};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::open_existing;
use serde_json::{Value, json};

use super::output;
use crate::config::{Overrides, load};

#[derive(Debug, Args)]
pub(super) struct BackupFlags {
    /// File to write; replaced only once the new backup is complete.
    /// Keep it as secret as the server itself.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct RestoreFlags {
    /// Backup file.
    /// Restored to the directory and database of --data and --database, which must be empty.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Writes a backup.
pub(super) fn backup(overrides: &Overrides, flags: &BackupFlags) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    let database = open_existing(&settings.database)?;
    let url = &settings.database.url;
    let now = SystemClock.now();
    let manifest = backups::backup(&flags.file, &database, url, &settings.security, now)?;
    database.close();
    if flags.json {
        return output::json(&summary(&flags.file, &manifest));
    }
    output::table(&rows(&flags.file, &manifest));
    Ok(())
}

/// Restores a backup.
pub(super) fn restore(overrides: &Overrides, flags: &RestoreFlags) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    let restored = backups::restore(&flags.file, &settings.database, &settings.security)?;
    let (manifest, key_file) = (&restored.manifest, &restored.key_file);
    if flags.json {
        let mut body = summary(&flags.file, manifest);
        if let Some(members) = body.as_object_mut() {
            members.insert("key_file".to_owned(), json!(key_file));
            let place = settings.database.url.to_string();
            members.insert("restored_to".to_owned(), json!(place));
        }
        return output::json(&body);
    }
    let mut rows = rows(&flags.file, manifest);
    rows.push(("restored to", settings.database.url.to_string()));
    rows.extend(
        key_file
            .as_ref()
            .map(|file| ("key file", file.display().to_string())),
    );
    output::table(&rows);
    output::line(
        "\nPasswords, sessions and tokens are as they were at the time of the backup; what was revoked since then works again.",
    );
    Ok(())
}

fn summary(file: &Path, manifest: &Manifest) -> Value {
    let tables = manifest.tables.iter();
    let tables: serde_json::Map<String, Value> = tables
        .map(|table| (table.name.clone(), json!(table.rows)))
        .collect();
    json!({
        "file": file,
        "created_at": manifest.created_at,
        "version": manifest.version,
        "migration": manifest.migrations.last(),
        "database": manifest.database,
        "rows": manifest.rows(),
        "tables": tables,
        "secret_key_id": manifest.secret_key.as_ref().map(|key| &key.id),
    })
}

fn rows(file: &Path, manifest: &Manifest) -> Vec<(&'static str, String)> {
    let key = match &manifest.secret_key {
        Some(key) => format!("id {}", key.id),
        None => "none yet".to_owned(),
    };
    vec![
        ("backup", file.display().to_string()),
        ("created", manifest.created_at.clone()),
        ("version", manifest.version.clone()),
        ("database", manifest.database.clone()),
        ("rows", manifest.rows().to_string()),
        ("secret key", key),
    ]
}
