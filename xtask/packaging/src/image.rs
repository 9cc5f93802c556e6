//! Container image, as an archive of an OCI layout.
//!
//! The image has only the program, the shared libraries that it loads, certificates, and a user. Every command of the
//! program works in a container without further settings.

use std::fs::File;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::ReleaseContents;
use crate::digest::{self, DigestWriter};
use crate::file_tree::{EXECUTABLE, FileOwner, FileTree, READABLE};
use crate::libraries;
use crate::release::{gzip, read};

/// User of the program in the image.
const USER: FileOwner = FileOwner(10_001);
/// Data directory in the image.
const DATA: &str = "var/lib/gatehouse";
/// Certificates of authorities, which programs of Debian read here.
const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";

/// Writes the image.
///
/// # Errors
/// If a library of the program is missing, or the file cannot be written.
pub fn write(release: &ReleaseContents, to: &Path) -> Result<()> {
    let layer = DigestWriter::new(gzip(Vec::new()));
    let layer = root(release)?.write_tar("", release.time, layer)?;
    let (layer, uncompressed) = layer.finish();
    let layer = layer.finish()?;
    let config = config(release, &uncompressed)?.to_string();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("application/vnd.oci.image.config.v1+json", config.as_bytes()),
        "layers": [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", &layer)],
    })
    .to_string();
    let mut named = descriptor(
        "application/vnd.oci.image.manifest.v1+json",
        manifest.as_bytes(),
    );
    if let Some(named) = named.as_object_mut() {
        let name = json!({ "org.opencontainers.image.ref.name": release.version });
        named.insert("annotations".to_owned(), name);
    }
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [named],
    })
    .to_string();
    let mut layout = FileTree::default();
    layout.file(
        "oci-layout",
        READABLE,
        &br#"{"imageLayoutVersion":"1.0.0"}"#[..],
    );
    layout.file("index.json", READABLE, index.into_bytes());
    for blob in [config.into_bytes(), manifest.into_bytes(), layer] {
        let path = format!("blobs/sha256/{}", digest::of_bytes(&blob));
        layout.file(&path, READABLE, blob);
    }
    let file = File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    layout.write_tar("", release.time, file)?;
    Ok(())
}

fn descriptor(media_type: &str, content: &[u8]) -> Value {
    json!({
        "mediaType": media_type,
        "digest": format!("sha256:{}", digest::of_bytes(content)),
        "size": content.len(),
    })
}

fn config(release: &ReleaseContents, layer: &str) -> Result<Value> {
    let created = release.date()?.to_rfc3339();
    Ok(json!({
        "created": created,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": format!("{0}:{0}", USER.0),
            "Env": [
                format!("GATEHOUSE_DATA_DIR=/{DATA}"),
                "GATEHOUSE_SERVER_LISTEN=0.0.0.0:8080",
                "PATH=/usr/bin",
                format!("SSL_CERT_FILE=/{CERTIFICATES}"),
            ],
            "Entrypoint": ["/usr/bin/gatehouse"],
            "Cmd": ["serve"],
            "ExposedPorts": { "8080/tcp": {} },
            "Volumes": { format!("/{DATA}"): {} },
            "WorkingDir": format!("/{DATA}"),
            "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": "Gatehouse",
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{layer}")] },
        "history": [{ "created": created, "created_by": "cargo xtask dist" }],
    }))
}

fn root(release: &ReleaseContents) -> Result<FileTree<'_>> {
    let mut tree = FileTree::default();
    tree.file("usr/bin/gatehouse", EXECUTABLE, &*release.binary);
    for library in libraries::of_program(&release.program)? {
        let path = library.to_string_lossy();
        tree.file(path.trim_start_matches('/'), EXECUTABLE, read(&library)?);
    }
    let certificates = read(&Path::new("/").join(CERTIFICATES));
    let certificates = certificates.context("install the package ca-certificates")?;
    tree.file(CERTIFICATES, READABLE, certificates);
    let user = format!(
        "root:x:0:0:root:/:/nonexistent\ngatehouse:x:{0}:{0}:Gatehouse:/{DATA}:/nonexistent\n",
        USER.0
    );
    tree.file("etc/passwd", READABLE, user.into_bytes());
    let group = format!("root:x:0:\ngatehouse:x:{}:\n", USER.0);
    tree.file("etc/group", READABLE, group.into_bytes());
    let names = &b"hosts: files dns\n"[..];
    tree.file("etc/nsswitch.conf", READABLE, names);
    tree.directory(DATA, 0o700, USER);
    tree.directory("tmp", 0o1777, FileOwner::ROOT);
    Ok(tree)
}
