//! The packages of a release: their bytes, their unit, and an installation with the package manager of Debian.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::read::GzDecoder;
use packaging::deb::DataCompression;
use packaging::release::UNIT;
use packaging::{ReleaseContents, deb, digest, sbom, write_all};
use serde_json::Value;

use crate::support::outside;
use crate::support::server::program;

/// Time of the files in packages, in seconds since 1970.
const TIME: u64 = 1_790_000_000;

/// Cargo runs tests in the directory of their package.
fn sources() -> PathBuf {
    fs::canonicalize("../..").unwrap()
}

fn release(version: &str) -> ReleaseContents {
    ReleaseContents::collect(&program(), &sources(), version.to_owned(), TIME).unwrap()
}

/// Runs a command that must succeed, and returns its output.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

/// Files of an archive by path.
fn unpack(archive: impl std::io::Read) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in tar::Archive::new(archive).entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        let path = entry.path().unwrap().display().to_string();
        files.insert(path, content);
    }
    files
}

/// The binary is replaced by a text, because its content does not matter here.
#[test]
fn two_packagings_of_one_binary_are_identical_and_complete() {
    let Some(dpkg_deb) = outside::find("GATEHOUSE_TEST_DPKG_DEB", &["/usr/bin/dpkg-deb"]) else {
        return;
    };
    let mut release = release("1.2.3");
    release.binary = b"a program".to_vec();
    let components = sbom::components(&sources(), "1.2.3").unwrap();
    let both = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let written = both
        .each_ref()
        .map(|to| write_all(&release, &components, to.path()).unwrap());
    for (one, other) in written[0].iter().zip(&written[1]) {
        assert_eq!(one.file_name(), other.file_name());
        assert!(
            fs::read(one).unwrap() == fs::read(other).unwrap(),
            "{one:?}"
        );
    }
    let directory = both[0].path();
    run(Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(directory));

    let tarball = fs::File::open(&written[0][0]).unwrap();
    let files = unpack(GzDecoder::new(tarball));
    for path in [
        "bin/gatehouse",
        "LICENSE-MIT",
        "README.txt",
        "etc/gatehouse.toml",
        "share/bash-completion/completions/gatehouse",
        "share/man/man1/gatehouse-user-create.1",
        "systemd/gatehouse.service",
    ] {
        let path = format!("gatehouse-1.2.3/{path}");
        assert!(files.contains_key(&path), "{path} is missing");
    }
    let package = |flag: &str| run(Command::new(&dpkg_deb).arg(flag).arg(&written[0][1]));
    let fields = package("--info");
    assert!(
        fields.contains("Version: 1.2.3") && fields.contains("conffiles"),
        "{fields}"
    );
    let contents = package("--contents");
    assert!(contents.contains("-rwxr-xr-x root/root"), "{contents}");
    check_image(&written[0][2]);
    check_components(&components);
}

/// Follows the digests of an image from its index to its files.
fn check_image(path: &Path) {
    let layout = unpack(fs::File::open(path).unwrap());
    let json = |bytes: &[u8]| -> Value { serde_json::from_slice(bytes).unwrap() };
    let blob = |descriptor: &Value| -> &Vec<u8> {
        let (_, hexadecimal) = descriptor["digest"]
            .as_str()
            .unwrap()
            .split_once(':')
            .unwrap();
        let blob = &layout[&format!("blobs/sha256/{hexadecimal}")];
        assert_eq!(digest::of_bytes(blob), hexadecimal);
        assert_eq!(descriptor["size"], blob.len());
        blob
    };
    assert_eq!(json(&layout["oci-layout"])["imageLayoutVersion"], "1.0.0");
    let manifest = json(blob(&json(&layout["index.json"])["manifests"][0]));
    let config = json(blob(&manifest["config"]));
    assert_eq!(config["config"]["User"], "10001:10001");
    let mut layer = Vec::new();
    let packed = GzDecoder::new(&blob(&manifest["layers"][0])[..]);
    { packed }.read_to_end(&mut layer).unwrap();
    let expected = format!("sha256:{}", digest::of_bytes(&layer));
    assert_eq!(config["rootfs"]["diff_ids"][0], expected);
    let files = unpack(&layer[..]);
    assert_eq!(files["usr/bin/gatehouse"], b"a program");
    let has = |part: &str| files.keys().any(|path| path.contains(part));
    assert!(has("libc.so.6") && has("ld-linux") && has("ca-certificates.crt"));
}

fn check_components(components: &str) {
    let list: Value = serde_json::from_str(components).unwrap();
    let components = list["components"].as_array().unwrap();
    for name in [
        "actix-web",
        "sqlite",
        "openssl",
        "libpq",
        "mimalloc",
        "aws-lc",
        "zstd",
    ] {
        let found = components
            .iter()
            .find(|component| component["name"] == name);
        let found = found.unwrap_or_else(|| panic!("{name} is missing"));
        assert!(
            found["version"]
                .as_str()
                .unwrap()
                .contains(|c: char| c.is_ascii_digit())
        );
    }
    let is_test_only = |component: &&Value| component["name"] == "insta";
    assert_eq!(components.iter().find(is_test_only), None);
}

#[test]
fn the_unit_is_valid_and_hardened() {
    let analyze = outside::find(
        "GATEHOUSE_TEST_SYSTEMD_ANALYZE",
        &["/usr/bin/systemd-analyze"],
    );
    let Some(analyze) = analyze else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let unit = directory.path().join("gatehouse.service");
    // The check needs the program of the unit to exist.
    let text = UNIT.replace("/usr/bin/gatehouse", &program().display().to_string());
    let text = text.replace("Documentation=man:gatehouse(1)\n", "");
    fs::write(&unit, text).unwrap();
    let verified = run(Command::new(&analyze).arg("verify").arg(&unit));
    assert!(!verified.contains("gatehouse.service"), "{verified}");
    let security = ["security", "--offline=true", "--threshold=20", "--no-pager"];
    run(Command::new(&analyze).args(security).arg(&unit));
}

/// Runs in a copy of the machine: an overlay over its files, so that nothing is installed on the machine itself.
const INSTALLATION: &str = include_str!("packages/installation.sh");

#[test]
fn an_installed_package_serves_and_keeps_its_data() {
    if outside::find("GATEHOUSE_TEST_DPKG", &["/usr/bin/dpkg"]).is_none() {
        return;
    }
    let mounts = Command::new("unshare")
        .args(["--mount", "--pid", "--fork", "true"])
        .status();
    if !mounts.is_ok_and(|status| status.success()) {
        println!("skipped: only root can install a package");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let mut release = release("0.0.1");
    release.binary = stripped(&file("program"));
    for version in ["0.0.1", "0.0.2"] {
        release.version = version.to_owned();
        let to = file(&format!("{version}.deb"));
        deb::write(&release, DataCompression::None, &to).unwrap();
    }
    // The end of the script ends all processes in its namespace.
    let namespace = [
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "--pid",
        "--fork",
    ];
    let printed = run(Command::new("timeout")
        .arg("100")
        .args(namespace)
        .args(["--kill-child", "sh", "-euc", INSTALLATION, "sh"])
        .arg(directory.path()));
    assert!(printed.contains("\nkept after purge\n"), "{printed}");
}

/// Returns the program without its symbols, which are a quarter of it.
fn stripped(to: &Path) -> Vec<u8> {
    run(Command::new("strip").arg("-o").arg(to).arg(program()));
    fs::read(to).unwrap()
}
