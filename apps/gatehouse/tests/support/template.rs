//! The data of a demo, created once and copied for each server: a start from a copy takes a quarter of the CPU time.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::eventually;
use super::server::{TestServer, program};

/// Age beyond which the data is created again, because tests expect the times of the samples to be today's.
const MAX_AGE: Duration = Duration::from_hours(1);

/// The file with the version of the program that created the data. It is written last.
const CREATED_BY: &str = "made-by";

/// Copies the data of a newly created demo into an empty directory.
pub(crate) fn copy_into(directory: &Path) {
    let own = std::env::current_exe().unwrap();
    let build = own.ancestors().nth(2).unwrap();
    let template = build.join("demo-template");
    // Test programs may run in parallel, and one of them creates the data for all.
    let lock = File::create(build.join("demo-template.lock")).unwrap();
    lock.lock().unwrap();
    if !is_fresh(&template) {
        create(&template);
    }
    for file in files_of(&template) {
        let name = file.file_name().unwrap();
        if name != CREATED_BY {
            fs::copy(&file, directory.join(name)).unwrap();
        }
    }
}

/// Identifies the current build of the program.
fn build_id() -> String {
    let file = fs::metadata(program()).unwrap();
    format!("{}.{:09} {}", file.mtime(), file.mtime_nsec(), file.len())
}

fn is_fresh(template: &Path) -> bool {
    let marker = template.join(CREATED_BY);
    let age = fs::metadata(&marker).and_then(|file| file.modified());
    let age = age.map(|created| created.elapsed().unwrap_or(Duration::MAX));
    age.is_ok_and(|age| age < MAX_AGE) && fs::read_to_string(marker).unwrap() == build_id()
}

/// Creates a demo, and keeps its data once it has signing keys.
fn create(template: &Path) {
    let mut server = TestServer::start_fresh();
    let anonymous = server.anonymous();
    eventually("a demo has keys", || {
        let keys = anonymous.get("/oauth/discovery/keys").expect(200);
        keys["keys"].as_array().filter(|keys| !keys.is_empty())?;
        Some(())
    });
    assert!(server.stop().success());
    if template.exists() {
        fs::remove_dir_all(template).unwrap();
    }
    fs::create_dir(template).unwrap();
    for file in files_of(&server.data()) {
        fs::copy(&file, template.join(file.file_name().unwrap())).unwrap();
    }
    fs::write(template.join(CREATED_BY), build_id()).unwrap();
}

fn files_of(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}
