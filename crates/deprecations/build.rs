//! Reads the records of this crate when it is built, so that one that is wrong stops the build, and embeds them.

#[path = "src/format/mod.rs"]
#[expect(
    unreachable_pub,
    reason = "this module belongs to the library, and the build script has no public interface"
)]
mod format;
#[path = "src/model/mod.rs"]
#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "this module belongs to the library, and the build script uses only a part of it"
)]
mod model;

use std::env;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo passes the paths of a build in environment variables"
)]
fn main() -> Result<(), Box<dyn Error>> {
    let records = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("records");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", records.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&records)? {
        files.push(entry?.path());
    }
    files.sort_unstable();
    let mut source = String::from("&[\n");
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| is_toml(file)) {
        let id = file.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        faults.extend(format::parse(id, &fs::read_to_string(file)?).err());
        let path = file.display().to_string();
        writeln!(source, "    ({id:?}, include_str!({path:?})),")?;
    }
    source.push_str("]\n");
    for fault in faults.concat() {
        println!("cargo::error={}", fault.to_string().replace('\n', " | "));
    }
    let target = Path::new(&env::var("OUT_DIR")?).join("records.rs");
    Ok(fs::write(target, source)?)
}

fn is_toml(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("toml"))
}
