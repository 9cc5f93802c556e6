//! Debian package.
//! Written here, since the format is an archive of three members and everything in them is prepared anyway.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::ReleaseContents;
use crate::file_tree::{EXECUTABLE, FileTree, READABLE};
use crate::release::{CONFIGURATION, UNIT, gzip, gzipped};

/// Compression of the files in a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataCompression {
    /// For tests, in which a large binary is packed often.
    None,
    /// For released packages; every version of the package manager reads it.
    Gzip,
}

/// Configuration files that the package manager keeps when an administrator changed them.
const CONFFILES: &str = "/etc/gatehouse/gatehouse.toml\n";

const MAINTAINER: &str = "The Gatehouse authors <authors@gatehouse.example>";

/// Scripts that the package manager runs.
const SCRIPTS: [(&str, &str); 3] = [
    ("postinst", include_str!("../files/postinst")),
    ("prerm", include_str!("../files/prerm")),
    ("postrm", include_str!("../files/postrm")),
];

/// Writes the package.
///
/// # Errors
/// If the file cannot be written.
pub fn write(release: &ReleaseContents, compression: DataCompression, to: &Path) -> Result<()> {
    let data = data(release)?;
    let mut control = FileTree::default();
    let fields = fields(&release.version, data.size());
    control.file("control", READABLE, fields.into_bytes());
    control.file("conffiles", READABLE, CONFFILES.as_bytes());
    for (name, script) in SCRIPTS {
        control.file(name, EXECUTABLE, script.as_bytes());
    }
    let time = release.time;
    let control = control.write_tar("./", time, gzip(Vec::new()))?.finish()?;
    let (name, data) = match compression {
        DataCompression::None => ("data.tar", data.write_tar("./", time, Vec::new())?),
        DataCompression::Gzip => {
            let packed = data.write_tar("./", time, gzip(Vec::new()))?;
            ("data.tar.gz", packed.finish()?)
        }
    };
    let mut file = File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    file.write_all(b"!<arch>\n")?;
    member(&mut file, "debian-binary", time, b"2.0\n")?;
    member(&mut file, "control.tar.gz", time, &control)?;
    member(&mut file, name, time, &data)
}

/// Appends a member to an archive in the format of `ar`.
fn member(file: &mut impl Write, name: &str, time: u64, content: &[u8]) -> Result<()> {
    let size = content.len();
    writeln!(
        file,
        "{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`",
        0, 0, "100644"
    )?;
    file.write_all(content)?;
    if size % 2 == 1 {
        file.write_all(b"\n")?;
    }
    Ok(())
}

fn fields(version: &str, bytes: u64) -> String {
    format!(
        "Package: gatehouse\n\
         Version: {version}\n\
         Architecture: amd64\n\
         Maintainer: {MAINTAINER}\n\
         Installed-Size: {}\n\
         Depends: adduser, libc6 (>= {}), libgcc-s1 | libgcc1\n\
         Recommends: ca-certificates\n\
         Section: net\n\
         Priority: optional\n\
         Description: OpenID Connect provider, alert inbox, error tracker and activity feed\n \
         One server with one database, SQLite or PostgreSQL. It signs users in to\n \
         applications, receives alerts and errors of monitoring systems, and has web\n \
         pages and a REST API.\n",
        bytes.div_ceil(1024),
        crate::libraries::OLDEST_GLIBC,
    )
}

/// Entry in the changelog format of Debian, which the package manager shows before an upgrade.
fn changelog_entry(release: &ReleaseContents) -> Result<String> {
    let (version, date) = (&release.version, release.date()?.to_rfc2822());
    Ok(format!(
        "gatehouse ({version}) stable; urgency=medium\n\n  \
         * See CHANGELOG.md.gz in this directory.\n\n \
         -- {MAINTAINER}  {date}\n"
    ))
}

fn data(release: &ReleaseContents) -> Result<FileTree<'_>> {
    let mut tree = FileTree::default();
    tree.file("usr/bin/gatehouse", EXECUTABLE, &*release.binary);
    tree.file(
        "etc/gatehouse/gatehouse.toml",
        READABLE,
        CONFIGURATION.as_bytes(),
    );
    let unit = "usr/lib/systemd/system/gatehouse.service";
    tree.file(unit, READABLE, UNIT.as_bytes());
    for (name, page) in &release.manual {
        let path = format!("usr/share/man/man1/{name}.gz");
        tree.file(&path, READABLE, gzipped(page)?);
    }
    for (path, script) in &release.completions {
        tree.file(&format!("usr/share/{path}"), READABLE, &**script);
    }
    let doc = |name: &str| format!("usr/share/doc/gatehouse/{name}");
    let copyright = include_str!("../files/copyright");
    tree.file(&doc("copyright"), READABLE, copyright.as_bytes());
    let entry = changelog_entry(release)?.into_bytes();
    tree.file(&doc("changelog.gz"), READABLE, gzipped(&entry)?);
    let changelog = gzipped(&release.changelog)?;
    tree.file(&doc("CHANGELOG.md.gz"), READABLE, changelog);
    if let Some(license) = release.licenses.get("LICENSE-MIT") {
        tree.file(&doc("LICENSE-MIT"), READABLE, &**license);
    }
    Ok(tree)
}
