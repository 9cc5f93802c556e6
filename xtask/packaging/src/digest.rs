//! SHA-256 digests as hexadecimal digits.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// Writer that passes bytes on to another one, and computes their digest.
#[derive(Debug)]
pub struct DigestWriter<W> {
    inner: W,
    state: Sha256,
}

impl<W: Write> DigestWriter<W> {
    /// Creates a writer in front of another one.
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            state: Sha256::new(),
        }
    }

    /// Returns the other writer and the digest.
    pub fn finish(self) -> (W, String) {
        let digest = HEXLOWER.encode(&self.state.finalize());
        (self.inner, digest)
    }
}

impl<W: Write> Write for DigestWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.state.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Returns the digest of bytes.
pub fn of_bytes(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// Returns the digest of a file.
///
/// # Errors
/// If the file cannot be read.
pub fn of_file(path: &Path) -> Result<String> {
    let cannot = || format!("cannot read {}", path.display());
    let mut file = File::open(path).with_context(cannot)?;
    let mut digest = DigestWriter::new(io::sink());
    io::copy(&mut file, &mut digest).with_context(cannot)?;
    Ok(digest.finish().1)
}
