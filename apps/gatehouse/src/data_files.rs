//! Where the data is: the directory, and the files in it.

use std::path::{Path, PathBuf};

use gatehouse_core::private_files::{self, Exposed};

use crate::config::{DatabaseUrl, Settings};

/// What the demo keeps in the directory of the data.
pub const DEMO_CREDENTIALS: &str = "demo-credentials.json";

/// What the embedded database keeps: the file, and those whose names begin with the same.
const DATABASE_FILES: [&str; 4] = ["", "-wal", "-shm", "-lock"];

/// What of the data others than its owner may use.
pub fn exposed(settings: &Settings) -> Vec<Exposed> {
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
