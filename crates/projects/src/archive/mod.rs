//! Projects as archives, in which they go from one server to another. Behind the feature `archive`.
//!
//! An archive is a tar file, compressed with gzip, in the layout that servers of this API have in common: `VERSION`,
//! `tree/project.json` with the attributes of the project and its settings, and in `tree/project/` one file for each kind of
//! thing, with one JSON object a line. [`write`](write()) makes one of labels, milestones, issues and notes, and [`read`](read())
//! reads those that it made and those of other servers. Other files and attributes of an archive are ignored. The specification is
//! silent on the layout, so it is that of the archives that clients have.
//!
//! An archive comes from strangers. So it is read in memory and never unpacked to a disk, the names in it are compared and never
//! used as paths, and everything is bounded: [`MAX_UNPACKED_BYTES`], [`MAX_LINE_BYTES`], [`MAX_RECORDS`].
//!
//! ```
//! use projects::archive::{Archive, ArchivedProject, read, write};
//! use api_conventions::time::Timestamp;
//!
//! let project = ArchivedProject {
//!     description: "The shop".to_owned(),
//!     ..ArchivedProject::default()
//! };
//! let archive = Archive { project, ..Archive::default() };
//! let packed = write(&archive, Timestamp::MIN)?;
//! assert_eq!(read(&packed)?, archive);
//! # Ok::<(), projects::archive::ArchiveError>(())
//! ```

mod collected;
mod content;
mod error;
mod json;
mod lines;
mod read;
mod settings;
mod unpacked;
mod write;

pub use content::{
    Archive, ArchivedIssue, ArchivedLabel, ArchivedMilestone, ArchivedNote, ArchivedProject,
    Author, Origin, Times,
};
pub use error::ArchiveError;
pub use read::read;
pub use write::write;

/// The most bytes of an archive after decompression, whatever is in it, so that a small file that unpacks to a huge one costs no
/// more than this.
pub const MAX_UNPACKED_BYTES: u64 = 64 << 20;

/// The most bytes of one line, and of `tree/project.json` as a whole. An issue is one line with all its notes.
pub const MAX_LINE_BYTES: u64 = 2 << 20;

/// The most labels, milestones, issues and notes in all. They are written in one transaction, for which others wait.
pub const MAX_RECORDS: usize = 10_000;

/// The greatest number of an issue. It is that of servers that keep numbers in 32 bits, and leaves room for those to come.
pub const MAX_ISSUE_NUMBER: i64 = i32::MAX as i64;

/// The file with the attributes of the project.
const PROJECT: &str = "tree/project.json";
/// The file of labels.
const LABELS: &str = "tree/project/labels.ndjson";
/// The file of milestones.
const MILESTONES: &str = "tree/project/milestones.ndjson";
/// The file of issues.
const ISSUES: &str = "tree/project/issues.ndjson";
/// The file of members, which says how those are called that other files name by number.
const MEMBERS: &str = "tree/project/project_members.ndjson";
/// The file with the access levels of features, where other servers keep them apart from the project.
const FEATURES: &str = "tree/project/project_feature.ndjson";
/// The file with settings of jobs, as other servers keep them.
const CI_SETTINGS: &str = "tree/project/ci_cd_settings.ndjson";
/// The file with settings of Auto DevOps, as other servers keep them.
const AUTO_DEVOPS: &str = "tree/project/auto_devops.ndjson";
/// All that is read, in the order in which it is written; of the last four there are none in archives from here.
const FILES: [&str; 8] = [
    PROJECT,
    LABELS,
    MILESTONES,
    ISSUES,
    MEMBERS,
    FEATURES,
    CI_SETTINGS,
    AUTO_DEVOPS,
];
/// The version of the layout, in the file `VERSION`.
const LAYOUT: &str = "0.2.4";
