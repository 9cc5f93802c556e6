//! Packages of the server, written from a finished binary.
//!
//! [`ReleaseContents`] holds everything that goes into them. [`tarball`], [`deb`] and [`image`] each write one package, [`sbom`]
//! lists the components of the binary, and [`write_all`] writes all of them with their checksums. The same binary and
//! time always give the same bytes: files are sorted, and belong to root.

pub mod deb;
pub mod digest;
pub mod file_tree;
pub mod image;
pub mod libraries;
pub mod release;
pub mod sbom;
pub mod tarball;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

pub use release::ReleaseContents;

/// Name of the file of checksums.
const CHECKSUMS: &str = "SHA256SUMS";

/// Writes all packages and their checksums to a directory, and returns their paths.
///
/// # Errors
/// If a file cannot be written, or the components cannot be listed.
pub fn write_all(release: &ReleaseContents, components: &str, to: &Path) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    let name = release.name();
    let written = [
        to.join(format!("{name}-x86_64-linux.tar.gz")),
        to.join(format!("gatehouse_{}_amd64.deb", release.version)),
        to.join(format!("{name}-x86_64-linux.oci.tar")),
        to.join(format!("{name}.cdx.json")),
    ];
    let [tarball, deb, image, sbom] = &written;
    tarball::write(release, tarball)?;
    deb::write(release, deb::DataCompression::Gzip, deb)?;
    image::write(release, image)?;
    fs::write(sbom, components)?;
    let sums = written.iter().map(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        Ok(format!("{}  {file}\n", digest::of_file(path)?))
    });
    let sums = sums.collect::<Result<String>>()?;
    fs::write(to.join(CHECKSUMS), sums)?;
    Ok(written.into_iter().chain([to.join(CHECKSUMS)]).collect())
}
