//! Writing a backup, part by part, in little memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use storage_diesel::{RowSink, Snapshot, TransferError};
use zeroize::Zeroizing;

use super::manifest::{
    FORMAT, KeyEntry, Manifest, PartEntry, RowTotal, TableEntry, key_id, sha256,
};
use super::{BackupError, MANIFEST, MANIFEST_DIGEST, SECRET_KEY};
use crate::settings::SecretKey;

/// Zstandard compression level: the library's default.
const LEVEL: i32 = 3;

/// Parts and totals written for a table.
#[derive(Debug, Default)]
struct Table {
    total: RowTotal,
    parts: Vec<PartEntry>,
}

/// A backup in progress.
pub(super) struct Writer<'f> {
    tar: tar::Builder<BufWriter<&'f File>>,
    file: PathBuf,
    database: &'static str,
    key: Option<&'f SecretKey>,
    now: Timestamp,
    tables: BTreeMap<String, Table>,
    manifest: Option<Manifest>,
}

impl<'f> Writer<'f> {
    pub(super) fn new(
        opened: &'f File,
        file: &Path,
        database: &'static str,
        key: Option<&'f SecretKey>,
        now: Timestamp,
    ) -> Self {
        Self {
            tar: tar::Builder::new(BufWriter::new(opened)),
            file: file.to_owned(),
            database,
            key,
            now,
            tables: BTreeMap::new(),
            manifest: None,
        }
    }

    /// Adds a file that only its owner can read.
    fn append(&mut self, name: &str, bytes: &[u8]) -> Result<(), TransferError> {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        header.set_mtime(u64::try_from(self.now.as_micros() / 1_000_000).unwrap_or_default());
        let appended = self.tar.append_data(&mut header, name, bytes);
        appended.map_err(|error| self.failed(error))
    }

    fn failed(&self, source: io::Error) -> TransferError {
        TransferError::File {
            file: self.file.clone(),
            source,
        }
    }

    fn append_key(&mut self, key: &SecretKey) -> Result<KeyEntry, TransferError> {
        let text = Zeroizing::new(format!("{}\n", STANDARD.encode(key.as_bytes())));
        self.append(SECRET_KEY, text.as_bytes())?;
        Ok(KeyEntry {
            id: key_id(key),
            sha256: sha256(text.as_bytes()),
        })
    }

    /// Finishes the archive, and returns its manifest.
    pub(super) fn close(self) -> Result<Manifest, BackupError> {
        let failed = BackupError::of_file(&self.file);
        let ended = self.tar.into_inner().and_then(|mut file| file.flush());
        ended.map_err(&failed)?;
        self.manifest.ok_or_else(|| {
            failed(io::Error::other(
                "the export ended before all rows were written",
            ))
        })
    }
}

impl RowSink for Writer<'_> {
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError> {
        let of = self.tables.entry(table.to_owned()).or_default();
        for row in rows {
            of.total.add(row);
        }
        let file = format!("tables/{table}/{:06}.jsonl.zst", of.parts.len() + 1);
        let mut text = rows.join("\n");
        text.push('\n');
        let bytes = zstd::bulk::compress(text.as_bytes(), LEVEL);
        let bytes = bytes.map_err(|error| self.failed(error))?;
        self.append(&file, &bytes)?;
        let entry = PartEntry {
            file,
            sha256: sha256(&bytes),
        };
        if let Some(of) = self.tables.get_mut(table) {
            of.parts.push(entry);
        }
        Ok(())
    }

    fn finish(&mut self, snapshot: &Snapshot) -> Result<(), TransferError> {
        let secret_key = self.key.map(|key| self.append_key(key)).transpose()?;
        let mut written = std::mem::take(&mut self.tables);
        let tables = snapshot.tables.iter().map(|table| {
            let Table { total, parts } = written.remove(&table.name).unwrap_or_default();
            TableEntry {
                name: table.name.clone(),
                rows: total.rows,
                digest: total.digest(),
                last_id: table.last_id,
                parts,
            }
        });
        let manifest = Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: self.now.to_string(),
            database: self.database.to_owned(),
            migrations: snapshot.migrations.clone(),
            secret_key,
            tables: tables.collect(),
        };
        let text = serde_json::to_string_pretty(&manifest)
            .map_err(|error| TransferError::OtherEnd(Box::new(error)))?;
        self.append(MANIFEST, text.as_bytes())?;
        let digest = format!("{}  {MANIFEST}\n", sha256(text.as_bytes()));
        self.append(MANIFEST_DIGEST, digest.as_bytes())?;
        self.manifest = Some(manifest);
        Ok(())
    }
}
