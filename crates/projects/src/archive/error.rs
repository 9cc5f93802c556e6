//! Why an archive is refused.

use api_conventions::error::ApiError;

use super::{MAX_ISSUE_NUMBER, MAX_LINE_BYTES, MAX_RECORDS, MAX_UNPACKED_BYTES, Origin, PROJECT};

/// Why an archive cannot be read, or cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// It does not begin as a file of gzip does.
    #[error("the file is no archive: it is not compressed with gzip")]
    NotGzip,
    /// What was compressed is no tar file.
    #[error("the file is no archive: there is no tar file in it")]
    NotTar,
    /// It breaks off, or a checksum is wrong.
    #[error("the archive is damaged: {0}")]
    Damaged(&'static str),
    /// There is more than [`MAX_UNPACKED_BYTES`] in it.
    #[error("the archive unpacks to more than {MAX_UNPACKED_BYTES} bytes")]
    TooLarge,
    /// A line has more than [`MAX_LINE_BYTES`].
    #[error("{0} has more than {MAX_LINE_BYTES} bytes")]
    LongLine(Origin),
    /// There are more than [`MAX_RECORDS`].
    #[error("there are more than {MAX_RECORDS} labels, milestones, issues and notes")]
    TooManyRecords,
    /// It says nothing of a project.
    #[error("the archive has no {PROJECT}")]
    NoProject,
    /// A file is in it twice.
    #[error("the archive has {0} twice")]
    Twice(&'static str),
    /// A line is no JSON, or not that of such a thing.
    #[error("{0} cannot be read: {1}")]
    Unreadable(Origin, String),
    /// An issue has no number from 1 to [`MAX_ISSUE_NUMBER`].
    #[error("{0} is an issue without a number (iid) from 1 to {MAX_ISSUE_NUMBER}")]
    NoNumber(Origin),
    /// Two issues have the same number.
    #[error("{0} is another issue with the number {1}")]
    SameNumber(Origin, i64),
    /// Two labels, or two milestones, have the same title.
    #[error("{0} has a title that is there before")]
    SameTitle(Origin),
}

impl ArchiveError {
    /// Whether the archive may be sound, and is only larger than what is taken.
    pub const fn is_about_size(&self) -> bool {
        matches!(
            self,
            Self::TooLarge | Self::LongLine(_) | Self::TooManyRecords
        )
    }
}

/// The refusal of an archive that somebody sent: 413 for one that is too large, 400 for all others.
impl From<ArchiveError> for ApiError {
    fn from(error: ArchiveError) -> Self {
        let text = error.to_string();
        if error.is_about_size() {
            return Self::content_too_large(&text);
        }
        Self::bad_request(&text)
    }
}
