//! Deletions of images that a job carries out in the container registry.

use api_conventions::time::Timestamp;

/// Images of a repository that are deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSelection {
    /// All images, because the project of the repository is deleted.
    All,
    /// Tags that a rule selects.
    Rule(TagRule),
}

/// Rule that selects the tags to delete. The tag `latest` is never selected.
///
/// Both patterns have the syntax of the crate `regex`, which matches in linear time, and concern the whole name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagRule {
    /// Pattern of the names of tags to delete.
    pub delete_pattern: String,
    /// Pattern of the names of tags to keep.
    pub keep_pattern: Option<String>,
    /// Number of the newest matching tags to keep.
    pub keep_newest: Option<u32>,
    /// Minimum age of the images to delete, in seconds. An image that states no time is kept.
    pub older_than_seconds: Option<i64>,
}

/// Deletion of images of one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageCleanup {
    /// Name of the repository in the registry.
    pub name: String,
    /// Images to delete.
    pub selection: ImageSelection,
    /// Time of the request.
    pub requested_at: Timestamp,
    /// Time from which the job carries it out; `None` when it is complete.
    pub due_at: Option<Timestamp>,
}

impl ImageCleanup {
    /// Time in seconds until the tags of a repository can be deleted by a rule again.
    pub const INTERVAL_SECONDS: i64 = 3600;
}
