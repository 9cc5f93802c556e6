//! Locations of the data: the directory, and the files in it.

use std::path::{Path, PathBuf};

use gatehouse_core::private_files::{self, ExposedFile};

use crate::config::{AppSettings, DatabaseUrl};

/// File name of the demo's credentials in the data directory.
pub const DEMO_CREDENTIALS: &str = "demo-credentials.json";

/// Suffixes of the embedded database's files.
const DATABASE_FILES: [&str; 4] = ["", "-wal", "-shm", "-lock"];

/// Finds data files that other users of the machine can access.
pub fn exposed(settings: &AppSettings) -> Vec<ExposedFile> {
    let key = &settings.security.secret_key_file;
    let directory = key.parent().unwrap_or(Path::new("."));
    let mut paths = vec![directory.to_owned(), directory.join(DEMO_CREDENTIALS)];
    if let DatabaseUrl::Sqlite(path) = &settings.database.url {
        paths.extend(DATABASE_FILES.map(|end| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        }));
    }
    private_files::exposed(paths)
}
