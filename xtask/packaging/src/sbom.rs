//! List of the components of the program, in the format `CycloneDX`.
//!
//! The crates are those that `cargo metadata` resolves for the program. C libraries, which some crates compile in, are
//! not known to cargo and are read from the sources of these crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::digest;
use crate::release::run;

/// Crate of the program.
const PROGRAM: &str = "gatehouse";

/// C library that a crate compiles in.
struct BundledLibrary {
    package: &'static str,
    library: &'static str,
    license: &'static str,
    version: VersionSource,
}

/// Place of the version of a C library.
enum VersionSource {
    /// The crate's own version, after its plus sign.
    Build,
    /// A definition in a header of the crate.
    Header {
        file: &'static str,
        definition: &'static str,
    },
}

const BUNDLED: [BundledLibrary; 6] = [
    BundledLibrary {
        package: "aws-lc-sys",
        library: "aws-lc",
        license: "ISC AND (Apache-2.0 OR ISC) AND OpenSSL",
        version: VersionSource::Header {
            file: "aws-lc/include/openssl/base.h",
            definition: "AWSLC_VERSION_NUMBER_STRING",
        },
    },
    BundledLibrary {
        package: "libmimalloc-sys",
        library: "mimalloc",
        license: "MIT",
        version: VersionSource::Header {
            file: "c_src/mimalloc/v3/include/mimalloc.h",
            definition: "MI_MALLOC_VERSION",
        },
    },
    BundledLibrary {
        package: "libsqlite3-sys",
        library: "sqlite",
        license: "blessing",
        version: VersionSource::Header {
            file: "sqlite3/sqlite3.h",
            definition: "SQLITE_VERSION",
        },
    },
    BundledLibrary {
        package: "openssl-src",
        library: "openssl",
        license: "Apache-2.0",
        version: VersionSource::Build,
    },
    BundledLibrary {
        package: "pq-src",
        library: "libpq",
        license: "PostgreSQL",
        version: VersionSource::Build,
    },
    BundledLibrary {
        package: "zstd-sys",
        library: "zstd",
        license: "BSD-3-Clause",
        version: VersionSource::Build,
    },
];

#[derive(Deserialize)]
struct ResolvedCrates {
    packages: Vec<CrateInfo>,
    resolve: CrateGraph,
}

#[derive(Deserialize)]
struct CrateInfo {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    source: Option<String>,
}

#[derive(Deserialize)]
struct CrateGraph {
    nodes: Vec<CrateNode>,
}

#[derive(Deserialize)]
struct CrateNode {
    id: String,
    deps: Vec<CrateEdge>,
}

#[derive(Deserialize)]
struct CrateEdge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

impl CrateEdge {
    /// True if the dependency is compiled in, or compiles something in, as the crates with C sources do.
    fn is_in_program(&self) -> bool {
        let kinds = self.dep_kinds.iter().map(|kind| kind.kind.as_deref());
        kinds.into_iter().any(|kind| kind != Some("dev"))
    }
}

/// Creates the list for the program with TLS to PostgreSQL, as JSON.
///
/// # Errors
/// If cargo fails, or the version of a C library is unknown.
pub fn components(sources: &Path, version: &str) -> Result<String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["metadata", "--format-version", "1", "--locked"]);
    cargo.args(["--filter-platform", "x86_64-unknown-linux-gnu"]);
    cargo.args(["--features", "gatehouse/postgres-tls,gatehouse/traces"]);
    let metadata = run(cargo.current_dir(sources))?;
    let metadata: ResolvedCrates =
        serde_json::from_slice(&metadata).context("cargo metadata printed something unexpected")?;
    let used = used_packages(&metadata)?;
    let mut components = Vec::new();
    for package in metadata
        .packages
        .iter()
        .filter(|package| used.contains(&*package.id))
    {
        if package.name != PROGRAM {
            components.push(component(package));
        }
        let bundled = BUNDLED
            .iter()
            .find(|bundled| bundled.package == package.name);
        components.extend(
            bundled
                .map(|bundled| c_library(bundled, package))
                .transpose()?,
        );
    }
    components.sort_by_key(|component| component["bom-ref"].to_string());
    let name = format!("pkg:generic/{PROGRAM}@{version}");
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": name,
                "name": PROGRAM,
                "version": version,
                "purl": name,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
    });
    let digest = digest::of_bytes(list.to_string().as_bytes());
    let mut list = list;
    if let Some(list) = list.as_object_mut() {
        list.insert("serialNumber".to_owned(), json!(serial_number(&digest)));
    }
    Ok(serde_json::to_string_pretty(&list)?)
}

/// Name of a list in the form of a UUID (version 8), computed from its content.
fn serial_number(digest: &str) -> String {
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    let (start, end) = (part(0, 8), part(19, 31));
    format!(
        "urn:uuid:{start}-{}-8{}-8{}-{end}",
        part(8, 12),
        part(12, 15),
        part(15, 18)
    )
}

/// Ids of the packages that the program contains, or that compile a part of it.
fn used_packages(metadata: &ResolvedCrates) -> Result<BTreeSet<&str>> {
    let nodes = metadata.resolve.nodes.iter().map(|node| (&*node.id, node));
    let nodes: BTreeMap<&str, &CrateNode> = nodes.collect();
    let program = metadata
        .packages
        .iter()
        .find(|package| package.name == PROGRAM);
    let program = program.context("the workspace has no package of the program")?;
    let (mut used, mut pending) = (BTreeSet::new(), vec![&*program.id]);
    while let Some(id) = pending.pop() {
        if !used.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).map_or(&[][..], |node| &node.deps);
        let dependencies = dependencies
            .iter()
            .filter(|dependency| dependency.is_in_program());
        pending.extend(dependencies.map(|dependency| &*dependency.pkg));
    }
    Ok(used)
}

fn component(package: &CrateInfo) -> Value {
    let (name, version) = (&package.name, &package.version);
    // A package of the workspace comes from no registry.
    let kind = if package.source.is_some() {
        "cargo"
    } else {
        "generic"
    };
    let purl = format!("pkg:{kind}/{name}@{}", version.replace('+', "%2B"));
    // An older form of a choice.
    let license = package
        .license
        .as_deref()
        .unwrap_or("NONE")
        .replace('/', " OR ");
    json!({
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "purl": purl,
        "licenses": [{ "expression": license }],
    })
}

fn c_library(bundled: &BundledLibrary, package: &CrateInfo) -> Result<Value> {
    let version = match bundled.version {
        VersionSource::Build => build_version(&package.version).map(str::to_owned),
        VersionSource::Header { file, definition } => {
            let directory = package.manifest_path.parent().unwrap_or(Path::new(""));
            defined(&directory.join(file), definition)?
        }
    };
    let library = bundled.library;
    let version = version.with_context(|| format!("the version of {library} is unknown"))?;
    let purl = format!("pkg:generic/{library}@{version}");
    Ok(json!({
        "type": "library",
        "bom-ref": purl,
        "name": library,
        "version": version,
        "purl": purl,
        "licenses": [{ "expression": bundled.license }],
        "description": format!("C library, compiled in by the crate {}", package.name),
    }))
}

/// Version of the bundled library in a version such as `2.1.3+zstd.1.5.7`.
fn build_version(version: &str) -> Option<&str> {
    let (_, build) = version.split_once('+')?;
    Some(build.trim_start_matches(|letter: char| !letter.is_ascii_digit()))
}

/// Version that a C header defines, as text, or as a number with two digits for each part but the first.
fn defined(header: &Path, name: &str) -> Result<Option<String>> {
    let text = fs::read_to_string(header);
    let text = text.with_context(|| format!("cannot read {}", header.display()))?;
    let mut values = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let is_it = words.next() == Some("#define") && words.next() == Some(name);
        words.next().filter(|_| is_it)
    });
    let value = values.next().map(|value| value.trim_matches('"'));
    Ok(value.map(|value| match value.parse::<u32>() {
        Ok(number) => format!(
            "{}.{}.{}",
            number / 10_000,
            number / 100 % 100,
            number % 100
        ),
        Err(_) => value.to_owned(),
    }))
}
