//! Decompression of gzip with a size limit.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;

use super::{ArchiveError, MAX_UNPACKED_BYTES};

/// Size of the two zero blocks that end a tar file, in bytes.
const END_OF_TAR: u64 = 1024;

/// Decompressed bytes of an archive.
/// Reading fails at the size limit and records the reason, because the tar reader above it does not distinguish errors.
pub(super) struct GzipReader<'p> {
    decoder: MultiGzDecoder<&'p [u8]>,
    left: u64,
    zeros: u64,
    failure: Option<ArchiveError>,
}

impl<'p> GzipReader<'p> {
    pub(super) fn of(packed: &'p [u8]) -> Self {
        Self {
            decoder: MultiGzDecoder::new(packed),
            left: MAX_UNPACKED_BYTES,
            zeros: 0,
            failure: None,
        }
    }

    /// Read error, if there was one; anything read before it is void.
    pub(super) fn failure(&self) -> Option<ArchiveError> {
        self.failure.clone()
    }

    /// Reads the rest, which contains the gzip checksum, and checks that the tar file is complete: a tar reader stops
    /// at the end of its input as if nothing were missing.
    ///
    /// # Errors
    /// [`ArchiveError::Damaged`], and [`ArchiveError::TooLarge`].
    pub(super) fn finish(mut self) -> Result<(), ArchiveError> {
        let read = io::copy(&mut self, &mut io::sink());
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if read.is_err() || self.zeros < END_OF_TAR {
            return Err(ArchiveError::Damaged("the tar file is truncated"));
        }
        Ok(())
    }
}

impl Read for GzipReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                let failure = ArchiveError::Damaged("it cannot be decompressed completely");
                self.failure.get_or_insert(failure);
            }
        })?;
        let fresh = buffer.get(..count).unwrap_or_default();
        let length = u64::try_from(count).unwrap_or(u64::MAX);
        let Some(left) = self.left.checked_sub(length) else {
            self.failure.get_or_insert(ArchiveError::TooLarge);
            return Err(io::Error::other("the archive is too large"));
        };
        self.left = left;
        let trailing = fresh.iter().rev().take_while(|byte| **byte == 0).count();
        let trailing = u64::try_from(trailing).unwrap_or_default();
        self.zeros = if trailing == length {
            self.zeros.saturating_add(trailing)
        } else {
            trailing
        };
        Ok(count)
    }
}
