//! Reading a backup: once to verify it, and once more for its rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use storage_diesel::{RowBatch, RowSource, TransferError};
use zeroize::Zeroizing;

use super::manifest::{FORMAT, KeyEntry, Manifest, key_id, sha256};
use super::{BackupError, MANIFEST, MANIFEST_DIGEST, SECRET_KEY};
use crate::settings::SecretKey;

/// Maximum length of a small file in a backup, in bytes.
const LONGEST_MANIFEST: usize = 64 << 20;

/// A secret key with the text of its file.
type KeyAndText = (SecretKey, Zeroizing<String>);

/// A backup whose parts all match the manifest.
pub(super) struct VerifiedBackup {
    file: PathBuf,
    pub(super) manifest: Manifest,
    /// The secret key, with its text in the archive.
    pub(super) key: Option<KeyAndText>,
}

/// Files found by the first pass.
#[derive(Default)]
struct ArchiveFiles {
    /// Digest of each file.
    digests: BTreeMap<String, String>,
    /// Content of the small files.
    texts: BTreeMap<&'static str, Zeroizing<String>>,
}

impl VerifiedBackup {
    /// Reads the whole file, and compares each part with the manifest.
    pub(super) fn open(file: &Path) -> Result<Self, BackupError> {
        let opened = File::open(file).map_err(BackupError::of_file(file))?;
        let unusable = |reason: String| BackupError::Unusable {
            file: file.to_owned(),
            reason,
        };
        let found = ArchiveFiles::read(&opened).map_err(|error| unusable(error.to_string()))?;
        let (manifest, key) = found.verify().map_err(unusable)?;
        Ok(Self {
            file: file.to_owned(),
            manifest,
            key,
        })
    }

    /// Passes the rows to `work`, in the order of the archive.
    pub(super) fn each_batch(
        &self,
        work: impl FnOnce(&mut dyn RowSource) -> Result<(), TransferError>,
    ) -> Result<(), TransferError> {
        let failed = |source| TransferError::File {
            file: self.file.clone(),
            source,
        };
        let opened = File::open(&self.file).map_err(failed)?;
        let mut archive = tar::Archive::new(BufReader::new(opened));
        let entries = archive.entries().map_err(failed)?;
        work(&mut ArchiveRows {
            entries,
            file: &self.file,
            manifest: &self.manifest,
        })
    }
}

impl ArchiveFiles {
    fn read(opened: &File) -> std::io::Result<Self> {
        let mut found = Self::default();
        let mut archive = tar::Archive::new(BufReader::new(opened));
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.display().to_string();
            let mut bytes = Zeroizing::new(Vec::new());
            entry.read_to_end(&mut bytes)?;
            found.digests.insert(name.clone(), sha256(&bytes));
            let small = [SECRET_KEY, MANIFEST, MANIFEST_DIGEST];
            if let Some(small) = small.into_iter().find(|small| *small == name)
                && bytes.len() <= LONGEST_MANIFEST
            {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                found.texts.insert(small, Zeroizing::new(text));
            }
        }
        Ok(found)
    }

    fn verify(mut self) -> Result<(Manifest, Option<KeyAndText>), String> {
        let (Some(manifest), Some(digest)) =
            (self.texts.get(MANIFEST), self.texts.get(MANIFEST_DIGEST))
        else {
            return Err("the end of the file is missing".to_owned());
        };
        if digest.split_whitespace().next() != Some(sha256(manifest.as_bytes()).as_str()) {
            return Err(format!("{MANIFEST} was modified"));
        }
        let format = serde_json::from_str::<serde_json::Value>(manifest)
            .ok()
            .and_then(|manifest| manifest.get("format")?.as_u64());
        if format != Some(u64::from(FORMAT)) {
            return Err(
                "it was created by a newer version of Gatehouse; restore it with that version"
                    .to_owned(),
            );
        }
        let manifest: Manifest = serde_json::from_str(manifest)
            .map_err(|error| format!("{MANIFEST} is not readable: {error}"))?;
        for part in manifest.tables.iter().flat_map(|table| &table.parts) {
            match self.digests.get(&part.file) {
                None => return Err(format!("{} is missing", part.file)),
                Some(digest) if *digest != part.sha256 => {
                    return Err(format!("{} was modified", part.file));
                }
                Some(_) => {}
            }
        }
        let key = match &manifest.secret_key {
            Some(entry) => Some(self.key(entry)?),
            None => None,
        };
        Ok((manifest, key))
    }

    fn key(&mut self, entry: &KeyEntry) -> Result<KeyAndText, String> {
        let text = self
            .texts
            .remove(SECRET_KEY)
            .ok_or_else(|| format!("{SECRET_KEY} is missing"))?;
        let key = SecretKey::parse(&text).filter(|key| key_id(key) == entry.id);
        match key {
            Some(key) if sha256(text.as_bytes()) == entry.sha256 => Ok((key, text)),
            _ => Err(format!("{SECRET_KEY} was modified")),
        }
    }
}

/// The rows of an archive.
struct ArchiveRows<'a, R: std::io::Read> {
    entries: tar::Entries<'a, R>,
    file: &'a Path,
    manifest: &'a Manifest,
}

impl<R: std::io::Read> RowSource for ArchiveRows<'_, R> {
    fn next_batch(&mut self) -> Result<Option<RowBatch>, TransferError> {
        let failed = |source| TransferError::File {
            file: self.file.to_owned(),
            source,
        };
        for entry in self.entries.by_ref() {
            let mut entry = entry.map_err(failed)?;
            let name = entry.path().map_err(failed)?.display().to_string();
            let tables = &mut self.manifest.tables.iter();
            let Some((table, part)) = tables.find_map(|table| {
                let part = table.parts.iter().find(|part| part.file == name)?;
                Some((table.name.clone(), part))
            }) else {
                continue;
            };
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(failed)?;
            // The file may have been replaced since it was verified.
            if sha256(&bytes) != part.sha256 {
                return Err(failed(std::io::Error::other(
                    "the file changed while it was being read",
                )));
            }
            let lines = zstd::stream::decode_all(bytes.as_slice()).map_err(failed)?;
            let lines =
                String::from_utf8(lines).map_err(|error| failed(std::io::Error::other(error)))?;
            let rows = format!("[{}]", lines.trim_end_matches('\n').replace('\n', ","));
            return Ok(Some(RowBatch { table, rows }));
        }
        Ok(None)
    }
}
