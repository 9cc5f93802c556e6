//! Writing a backup, part by part, in little memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

use api_conventions::time::Timestamp;
use storage_diesel::{RowSink, Snapshot, TransferError};

use super::manifest::{FORMAT, Manifest, PartEntry, TableEntry, sha256};
use super::totals::Totals;
use super::{BackupError, KeyPart, MANIFEST, MANIFEST_DIGEST, Pace};

/// Zstandard compression level: the library's default.
const LEVEL: i32 = 3;

/// A backup in progress.
pub(super) struct Writer<'f> {
    tar: tar::Builder<BufWriter<&'f File>>,
    file: PathBuf,
    database: &'static str,
    /// Secret key to include or to name.
    pub(super) key: Option<KeyPart>,
    /// Pauses between the parts.
    pub(super) pace: Option<&'f Pace>,
    /// End of the last pause.
    rested_at: Instant,
    now: Timestamp,
    totals: Totals,
    /// Parts of each table.
    parts: BTreeMap<String, Vec<PartEntry>>,
    manifest: Option<Manifest>,
}

impl<'f> Writer<'f> {
    pub(super) fn new(
        opened: &'f File,
        file: &Path,
        database: &'static str,
        now: Timestamp,
    ) -> Self {
        Self {
            tar: tar::Builder::new(BufWriter::new(opened)),
            file: file.to_owned(),
            database,
            key: None,
            pace: None,
            rested_at: Instant::now(),
            now,
            totals: Totals::default(),
            parts: BTreeMap::new(),
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
        self.totals.add(table, rows.iter().map(String::as_str));
        let number = self.parts.get(table).map_or(0, Vec::len) + 1;
        let file = format!("tables/{table}/{number:06}.jsonl.zst");
        let mut text = rows.join("\n");
        text.push('\n');
        let bytes = zstd::bulk::compress(text.as_bytes(), LEVEL);
        let bytes = bytes.map_err(|error| self.failed(error))?;
        self.append(&file, &bytes)?;
        let entry = PartEntry {
            file,
            sha256: sha256(&bytes),
        };
        self.parts.entry(table.to_owned()).or_default().push(entry);
        if let Some(pace) = self.pace {
            pace.rest(self.rested_at.elapsed())?;
            self.rested_at = Instant::now();
        }
        Ok(())
    }

    fn finish(&mut self, snapshot: &Snapshot) -> Result<(), TransferError> {
        let key = self.key.take();
        if let Some((name, text)) = key.as_ref().and_then(|key| key.file.as_ref()) {
            self.append(name, text.as_bytes())?;
        }
        let mut parts = std::mem::take(&mut self.parts);
        let tables = self.totals.entries(snapshot).into_iter();
        let tables = tables.map(|table| TableEntry {
            parts: parts.remove(&table.name).unwrap_or_default(),
            ..table
        });
        let manifest = Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: self.now.to_string(),
            database: self.database.to_owned(),
            migrations: snapshot.migrations.clone(),
            secret_key: key.map(|key| key.entry),
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
