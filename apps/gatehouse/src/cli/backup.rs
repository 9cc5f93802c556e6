//! `gatehouse backup` and `gatehouse restore`.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use api_conventions::time::Clock as _;
use clap::Args;
use gatehouse_core::backup::{
    self as backups, Backup, KeyEntry, KeyForm, KeyHandling, Manifest, Passphrase,
};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::open_existing;
use serde_json::{Value, json};

use super::output;
use crate::config::{Overrides, load};

#[derive(Debug, Args)]
pub(super) struct BackupFlags {
    /// File to write; replaced only once the new backup is complete.
    /// Keep it as secret as the server itself.
    #[arg(
        value_name = "FILE",
        required_unless_present = "to",
        conflicts_with = "to"
    )]
    file: Option<PathBuf>,
    /// Write to this directory instead, to a file named after the current time.
    #[arg(long, value_name = "DIR")]
    to: Option<PathBuf>,
    /// Number of backups to keep in the directory of --to: after a success, older ones named after their time are deleted.
    #[arg(long, value_name = "N", requires = "to")]
    keep: Option<NonZeroUsize>,
    /// Leave out the secret key.
    /// Keep a copy of it in another place: a restored server needs it.
    #[arg(long, conflicts_with = "passphrase_file")]
    without_key: bool,
    /// Encrypt the secret key with the passphrase in the first line of this file.
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
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
    /// Only verify the backup: write nothing, and use no database.
    #[arg(long)]
    check: bool,
    /// File with the passphrase that the secret key of the backup is encrypted with.
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Writes a backup.
pub(super) fn backup(overrides: &Overrides, flags: &BackupFlags) -> anyhow::Result<()> {
    let settings = load(overrides)?;
    let passphrase = passphrase_in(flags.passphrase_file.as_deref())?;
    let key = match &passphrase {
        Some(passphrase) => KeyHandling::Encrypt(passphrase),
        None if flags.without_key => KeyHandling::LeaveOut,
        None => KeyHandling::Plain,
    };
    let database = open_existing(&settings.database)?;
    let backup = Backup {
        database: &database,
        url: &settings.database.url,
        security: &settings.security,
        key,
        now: SystemClock.now(),
        pace: None,
    };
    let (file, manifest, deleted) = match (&flags.to, &flags.file) {
        (Some(directory), _) => {
            let dated = backup.write_into(directory, flags.keep)?;
            (dated.file, dated.manifest, dated.deleted)
        }
        (None, Some(file)) => (file.clone(), backup.write_to(file)?, Vec::new()),
        (None, None) => anyhow::bail!("name a file, or a directory with --to"),
    };
    database.close();
    if flags.json {
        let deleted = json!({ "deleted": deleted });
        return output::json(&with(summary(&file, &manifest), deleted));
    }
    let mut rows = rows(&file, &manifest);
    rows.extend(
        deleted
            .iter()
            .map(|file| ("deleted", file.display().to_string())),
    );
    output::table(&rows);
    Ok(())
}

/// Restores a backup, or only verifies it.
pub(super) fn restore(overrides: &Overrides, flags: &RestoreFlags) -> anyhow::Result<()> {
    let passphrase = passphrase_in(flags.passphrase_file.as_deref())?;
    if flags.check {
        return check(flags, passphrase.as_ref());
    }
    let settings = load(overrides)?;
    let url = &settings.database.url;
    let restored = backups::restore(&flags.file, url, &settings.security, passphrase.as_ref())?;
    let (manifest, key_file) = (&restored.manifest, &restored.key_file);
    if flags.json {
        let more = json!({
            "key_file": key_file,
            "missing_key_id": restored.missing_key,
            "restored_to": url.to_string(),
        });
        return output::json(&with(summary(&flags.file, manifest), more));
    }
    let mut rows = rows(&flags.file, manifest);
    rows.push(("restored to", url.to_string()));
    rows.extend(
        key_file
            .as_ref()
            .map(|file| ("key file", file.display().to_string())),
    );
    output::table(&rows);
    if let Some(id) = &restored.missing_key {
        output::line(&key_advice(id, &settings.security.secret_key_file));
    }
    output::line(
        "\nPasswords, sessions and tokens are as they were at the time of the backup; what was revoked since then works again.",
    );
    Ok(())
}

fn check(flags: &RestoreFlags, passphrase: Option<&Passphrase>) -> anyhow::Result<()> {
    let manifest = backups::check_backup(&flags.file, passphrase)?;
    if flags.json {
        let verified = json!({ "verified": true });
        return output::json(&with(summary(&flags.file, &manifest), verified));
    }
    output::table(&rows(&flags.file, &manifest));
    output::line("\nThe backup is complete, and this version can restore it.");
    Ok(())
}

fn passphrase_in(file: Option<&Path>) -> anyhow::Result<Option<Passphrase>> {
    Ok(file.map(Passphrase::read).transpose()?)
}

/// Returns the advice to provide a secret key.
fn key_advice(id: &str, file: &Path) -> String {
    format!(
        "\nThe server needs the secret key with the id {id}: put it in {} with mode 0600, or set security.secret_key.",
        file.display()
    )
}

/// Adds members to a JSON object.
fn with(mut object: Value, more: Value) -> Value {
    if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
        object.extend(more);
    }
    object
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
        "secret_key": manifest.secret_key.as_ref().map(|key| key.form),
    })
}

fn rows(file: &Path, manifest: &Manifest) -> Vec<(&'static str, String)> {
    let key = match &manifest.secret_key {
        Some(KeyEntry { id, form, .. }) => match form {
            KeyForm::Encrypted => format!("id {id}, encrypted with a passphrase"),
            KeyForm::LeftOut => format!("id {id}, left out"),
            _ => format!("id {id}"),
        },
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
