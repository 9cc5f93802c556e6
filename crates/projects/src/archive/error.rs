//! Errors from reading and writing archives.

use api_conventions::error::ApiError;

use super::{MAX_ISSUE_NUMBER, MAX_LINE_BYTES, MAX_RECORDS, MAX_UNPACKED_BYTES, Origin, PROJECT};

/// Error from reading or writing an archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The file does not begin with a gzip header.
    #[error("the file is not an archive: it is not compressed with gzip")]
    NotGzip,
    /// The uncompressed content is not a tar file.
    #[error("the file is not an archive: it contains no tar file")]
    NotTar,
    /// The archive is truncated, or a checksum is wrong.
    #[error("the archive is damaged: {0}")]
    Damaged(&'static str),
    /// The archive unpacks to more than [`MAX_UNPACKED_BYTES`].
    #[error("the archive unpacks to more than {MAX_UNPACKED_BYTES} bytes")]
    TooLarge,
    /// A line has more than [`MAX_LINE_BYTES`].
    #[error("{0} has more than {MAX_LINE_BYTES} bytes")]
    LongLine(Origin),
    /// The archive has more than [`MAX_RECORDS`].
    #[error("the archive has more than {MAX_RECORDS} labels, milestones, issues and notes")]
    TooManyRecords,
    /// The archive contains no project.
    #[error("the archive does not contain {PROJECT}")]
    NoProject,
    /// The archive contains a file twice.
    #[error("the archive contains {0} twice")]
    Twice(&'static str),
    /// A line is not valid JSON, or not an object of the expected kind.
    #[error("{0} cannot be read: {1}")]
    Unreadable(Origin, String),
    /// An issue has no number from 1 to [`MAX_ISSUE_NUMBER`].
    #[error("{0} has no issue number (iid) from 1 to {MAX_ISSUE_NUMBER}")]
    NoNumber(Origin),
    /// Two issues have the same number.
    #[error("{0} repeats the issue number {1}")]
    SameNumber(Origin, i64),
    /// Two labels, or two milestones, have the same title.
    #[error("{0} repeats an earlier title")]
    SameTitle(Origin),
}

impl ArchiveError {
    /// True if the archive may be valid and only exceeds a size limit.
    pub const fn is_about_size(&self) -> bool {
        matches!(
            self,
            Self::TooLarge | Self::LongLine(_) | Self::TooManyRecords
        )
    }
}

/// Response to an uploaded archive: 413 if it is too large, 400 for all other errors.
impl From<ArchiveError> for ApiError {
    fn from(error: ArchiveError) -> Self {
        let text = error.to_string();
        if error.is_about_size() {
            return Self::content_too_large(&text);
        }
        Self::bad_request(&text)
    }
}
