//! SQLite files that are migrated once.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::database::build_hash;

/// Minimum age of another build's template before it is removed. Runs in progress have younger ones.
const MAX_TEMPLATE_AGE: Duration = Duration::from_hours(12);

/// Copies a prepared file to `path`. `prepare` creates the file at the path that it is given, once for each build of
/// the test program. It must leave a complete file: every connection to it closed.
///
/// # Panics
/// When a file cannot be created or copied.
pub fn prepared_file(path: &Path, prepare: impl FnOnce(&Path)) {
    let user = fs::metadata("/proc/self").map_or(0, |own| own.uid());
    let templates = std::env::temp_dir().join(format!("gatehouse-test-files-{user}"));
    fs::create_dir_all(&templates).expect("the template directory can be created");
    let template = templates.join(format!("{:016x}", build_hash()));
    if !template.exists() {
        let lock = File::create(templates.join("lock")).expect("the lock file can be created");
        lock.lock().expect("the lock can be acquired");
        if !template.exists() {
            remove_old(&templates);
            let draft = template.with_extension("draft");
            // A run that has ended may have left a draft.
            let _ = fs::remove_file(&draft);
            prepare(&draft);
            fs::rename(&draft, &template).expect("the template can be renamed");
        }
    }
    fs::copy(&template, path).expect("the template can be copied");
}

fn remove_old(templates: &Path) {
    let entries = fs::read_dir(templates).into_iter().flatten().flatten();
    let is_old = |path: &PathBuf| {
        let modified = fs::metadata(path).and_then(|file| file.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age > MAX_TEMPLATE_AGE)
    };
    for path in entries.map(|entry| entry.path()).filter(is_old) {
        // Another run may have removed it.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prepared_file_is_created_once_and_copied() {
        let directory =
            std::env::temp_dir().join(format!("gatehouse-files-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let [first, second] = ["first", "second"].map(|name| directory.join(name));
        prepared_file(&first, |path| fs::write(path, "tables").unwrap());
        fs::write(&first, "tables and rows").unwrap();
        prepared_file(&second, |_| panic!("the template exists"));
        assert_eq!(fs::read_to_string(&second).unwrap(), "tables");
        fs::remove_dir_all(&directory).unwrap();
    }
}
