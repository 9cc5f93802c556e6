//! Export and import of projects as archives.
//! Behind the feature `archive`.
//!
//! An archive is a tar file, compressed with gzip, in the layout that servers of this API share: `VERSION`,
//! `tree/project.json` with the attributes of the project and its settings, and in `tree/project/` one file for each
//! kind of resource, with one JSON object per line. [`write`](write()) archives labels, milestones, issues and notes,
//! and [`read`](read()) reads its own archives and those of other servers. Other files and attributes of an archive are
//! ignored. The specification does not define the layout, so this one follows existing archives.
//!
//! Archives are untrusted input. An archive is read in memory and never unpacked to a disk, file names are compared and
//! never used as paths, and everything is bounded: [`MAX_UNPACKED_BYTES`], [`MAX_LINE_BYTES`], [`MAX_RECORDS`].
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

mod builder;
mod content;
mod error;
mod gzip;
mod json;
mod lines;
mod read;
mod settings;
mod write;

pub use content::{
    Archive, ArchivedIssue, ArchivedLabel, ArchivedMilestone, ArchivedNote, ArchivedProject,
    Author, Origin, Times,
};
pub use error::ArchiveError;
pub use read::read;
pub use write::write;

/// Maximum size of an archive after decompression, in bytes, including ignored files.
/// It bounds the cost of a small file that unpacks to a huge one.
pub const MAX_UNPACKED_BYTES: u64 = 64 << 20;

/// Maximum size of one line, and of `tree/project.json` as a whole, in bytes.
/// An issue is one line with all its notes.
pub const MAX_LINE_BYTES: u64 = 2 << 20;

/// Maximum number of labels, milestones, issues and notes in total.
/// They are written in one transaction, which blocks other writers.
pub const MAX_RECORDS: usize = 10_000;

/// Greatest number of an issue: the limit of servers that store numbers in 32 bits.
/// It leaves room for new issues.
pub const MAX_ISSUE_NUMBER: i64 = i32::MAX as i64;

/// File with the attributes of the project.
const PROJECT: &str = "tree/project.json";
/// File of labels.
const LABELS: &str = "tree/project/labels.ndjson";
/// File of milestones.
const MILESTONES: &str = "tree/project/milestones.ndjson";
/// File of issues.
const ISSUES: &str = "tree/project/issues.ndjson";
/// File of members, with the names of users that other files reference by id.
const MEMBERS: &str = "tree/project/project_members.ndjson";
/// File with the access levels of features, for servers that store them apart from the project.
const FEATURES: &str = "tree/project/project_feature.ndjson";
/// File with CI/CD settings in archives of other servers.
const CI_SETTINGS: &str = "tree/project/ci_cd_settings.ndjson";
/// File with Auto DevOps settings in archives of other servers.
const AUTO_DEVOPS: &str = "tree/project/auto_devops.ndjson";
/// All files that are read, in the order in which they are written.
/// Archives of this server have none of the last four.
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
/// Version of the layout, in the file `VERSION`.
const LAYOUT: &str = "0.2.4";
