//! Reading a backup: once to verify it, and once more for its rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use storage_diesel::{RowBatch, RowSource, TransferError};
use zeroize::Zeroizing;

use super::manifest::{FORMAT, KeyEntry, KeyForm, Manifest, key_id, sha256};
use super::totals::Totals;
use super::{BackupError, MANIFEST, MANIFEST_DIGEST, Passphrase, SEALED_KEY, SECRET_KEY};
use crate::settings::SecretKey;

/// Maximum length of a small file in a backup, in bytes.
const LONGEST_MANIFEST: usize = 64 << 20;

/// A secret key with the text of its file.
pub(super) type KeyAndText = (SecretKey, Zeroizing<String>);

/// A backup whose parts all match the manifest.
pub(super) struct VerifiedBackup {
    file: PathBuf,
    pub(super) manifest: Manifest,
    /// Text of the file of the secret key, unless it is left out.
    key_text: Option<Zeroizing<String>>,
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
    /// Reads the whole file, and compares each part and the rows in it with the manifest.
    pub(super) fn open(file: &Path) -> Result<(Self, Totals), BackupError> {
        let opened = File::open(file).map_err(BackupError::of_file(file))?;
        let unusable = |reason: String| BackupError::Unusable {
            file: file.to_owned(),
            reason,
        };
        let found = ArchiveFiles::read(&opened).map_err(|error| unusable(error.to_string()))?;
        let (manifest, key_text) = found.verify().map_err(unusable)?;
        let verified = Self {
            file: file.to_owned(),
            manifest,
            key_text,
        };
        verified.manifest.snapshot().check_version()?;
        let mut totals = Totals::default();
        verified.each_batch(|rows| {
            while let Some((table, lines)) = rows.next_lines()? {
                totals.add(&table, lines.split_terminator('\n'));
            }
            Ok(())
        })?;
        match totals.difference(&verified.manifest.tables) {
            None => Ok((verified, totals)),
            Some(difference) => Err(unusable(difference)),
        }
    }

    /// Returns the secret key, decrypted if need be; `None` if the backup has none or it is left out.
    pub(super) fn key(
        &self,
        passphrase: Option<&Passphrase>,
    ) -> Result<Option<KeyAndText>, BackupError> {
        let (Some(entry), Some(text)) = (&self.manifest.secret_key, &self.key_text) else {
            return Ok(None);
        };
        let text = match (entry.form, passphrase) {
            (KeyForm::Encrypted, None) => return Err(BackupError::PassphraseNeeded),
            (KeyForm::Encrypted, Some(passphrase)) => passphrase.open(text)?,
            _ => text.clone(),
        };
        match SecretKey::parse(&text).filter(|key| key_id(key) == entry.id) {
            Some(key) => Ok(Some((key, text))),
            None => Err(BackupError::Unusable {
                file: self.file.clone(),
                reason: format!("{SECRET_KEY} was modified"),
            }),
        }
    }

    /// Passes the rows to `work`, in the order of the archive.
    pub(super) fn each_batch(
        &self,
        work: impl FnOnce(&mut ArchiveRows<'_>) -> Result<(), TransferError>,
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
            let small = [SECRET_KEY, SEALED_KEY, MANIFEST, MANIFEST_DIGEST];
            if let Some(small) = small.into_iter().find(|small| *small == name)
                && bytes.len() <= LONGEST_MANIFEST
            {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                found.texts.insert(small, Zeroizing::new(text));
            }
        }
        Ok(found)
    }

    fn verify(mut self) -> Result<(Manifest, Option<Zeroizing<String>>), String> {
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
                "another version of Gatehouse wrote it in another format; restore it with that version"
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
            Some(entry) => self.key_text(entry)?,
            None => None,
        };
        Ok((manifest, key))
    }

    fn key_text(&mut self, entry: &KeyEntry) -> Result<Option<Zeroizing<String>>, String> {
        let name = match entry.form {
            KeyForm::Plain => SECRET_KEY,
            KeyForm::Encrypted => SEALED_KEY,
            KeyForm::LeftOut => return Ok(None),
        };
        let text = self.texts.remove(name);
        let text = text.ok_or_else(|| format!("{name} is missing"))?;
        if Some(sha256(text.as_bytes())) == entry.sha256 {
            Ok(Some(text))
        } else {
            Err(format!("{name} was modified"))
        }
    }
}

/// The rows of an archive.
pub(super) struct ArchiveRows<'a> {
    entries: tar::Entries<'a, BufReader<File>>,
    file: &'a Path,
    manifest: &'a Manifest,
}

impl ArchiveRows<'_> {
    /// Returns the name of the next table, and rows of it, one a line.
    fn next_lines(&mut self) -> Result<Option<(String, String)>, TransferError> {
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
            return Ok(Some((table, lines)));
        }
        Ok(None)
    }
}

impl RowSource for ArchiveRows<'_> {
    fn next_batch(&mut self) -> Result<Option<RowBatch>, TransferError> {
        let next = self.next_lines()?;
        Ok(next.map(|(table, lines)| RowBatch {
            table,
            rows: format!("[{}]", lines.trim_end_matches('\n').replace('\n', ",")),
        }))
    }
}
