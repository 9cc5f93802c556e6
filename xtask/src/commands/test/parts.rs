//! What some tests need from outside: programs that are not ours.
//!
//! A new part is a row of [`PARTS`]. Tests that need it read its variables, and pass over what they cannot do when
//! they are not set.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{node, python, rust};
use crate::environment;

/// Where outside parts may be.
#[derive(Debug)]
pub(crate) struct Places {
    /// The root of the file system.
    pub(crate) system: PathBuf,
    /// The directory of what the test command itself fetches.
    pub(crate) outside: PathBuf,
    /// The directory of the lists of what it fetches.
    pub(crate) lists: PathBuf,
    /// The directory of the program with the Rust clients.
    pub(crate) rust_clients: PathBuf,
}

/// An environment variable for the tests, and the program that it names.
pub(crate) type Setting = (&'static str, PathBuf);

/// One outside part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// What is not tested without it.
    pub(crate) tests: &'static str,
    /// The variables that tell the tests where it is. A caller who has set them needs nothing else.
    pub(crate) variables: &'static [&'static str],
    /// The Debian packages that bring it.
    pub(crate) packages: &'static [&'static str],
    /// Whether what the packages bring is there.
    pub(crate) is_installed: fn(&Places) -> bool,
    /// Once it is there: fetches the rest, and names everything to the tests.
    pub(crate) prepare: fn(&Places) -> Result<Vec<Setting>>,
}

/// All outside parts.
pub(crate) const PARTS: &[Part] = &[
    Part {
        name: "PostgreSQL server",
        tests: "the storage engine and the server on PostgreSQL",
        variables: &["GATEHOUSE_TEST_POSTGRES"],
        packages: &["postgresql"],
        is_installed: has_postgres,
        // The tests find the programs by themselves, in the same directories.
        prepare: |_| Ok(Vec::new()),
    },
    Part {
        name: "Alertmanager",
        tests: "delivery by a real Alertmanager",
        variables: &["GATEHOUSE_TEST_ALERTMANAGER", "GATEHOUSE_TEST_AMTOOL"],
        packages: &["prometheus-alertmanager"],
        is_installed: |places| alertmanager(places).is_some(),
        prepare: |places| Ok(alertmanager(places).into_iter().flatten().collect()),
    },
    Part {
        name: "PgBouncer",
        tests: "the storage engine and the server behind a pooler",
        variables: &["GATEHOUSE_TEST_PGBOUNCER"],
        packages: &["pgbouncer"],
        is_installed: |places| pgbouncer(places).is_some(),
        prepare: |places| {
            let found = pgbouncer(places).into_iter();
            Ok(found
                .map(|pooler| ("GATEHOUSE_TEST_PGBOUNCER", pooler))
                .collect())
        },
    },
    Part {
        name: "Doorkeeper",
        tests: "the OAuth provider beside the original's engine",
        variables: &["GATEHOUSE_TEST_DOORKEEPER"],
        packages: &[
            "ruby-doorkeeper",
            "ruby-doorkeeper-openid-connect",
            "ruby-rails",
            "ruby-sqlite3",
            "puma",
        ],
        is_installed: |places| doorkeeper(places).is_some(),
        prepare: |places| {
            let found = doorkeeper(places).into_iter();
            Ok(found
                .map(|engine| ("GATEHOUSE_TEST_DOORKEEPER", engine))
                .collect())
        },
    },
    Part {
        name: "nginx, Apache, HAProxy and Caddy",
        tests: "the server behind the reverse proxies of docs/reverse-proxy.md",
        variables: &[
            "GATEHOUSE_TEST_NGINX",
            "GATEHOUSE_TEST_APACHE",
            "GATEHOUSE_TEST_HAPROXY",
            "GATEHOUSE_TEST_CADDY",
        ],
        // Of Apache the programs alone: its service would want the port of the others.
        packages: &["nginx", "apache2-bin", "haproxy", "caddy"],
        is_installed: |places| proxies(places).is_some(),
        prepare: |places| Ok(proxies(places).into_iter().flatten().collect()),
    },
    Part {
        name: "Chromium",
        tests: "the pages in a real browser",
        variables: &["GATEHOUSE_TEST_CHROMIUM"],
        packages: &["chromium-headless-shell"],
        is_installed: |places| chromium(places).is_some(),
        prepare: |places| {
            let found = chromium(places).into_iter();
            Ok(found
                .map(|browser| ("GATEHOUSE_TEST_CHROMIUM", browser))
                .collect())
        },
    },
    Part {
        name: "openid-client, @gitbeaker/rest, openapi-typescript, Redocly, @sentry/node and @sentry/browser",
        tests: "signing in with a client for Node, a story of the API with another one, types generated from the document of the API, the SDKs of the tracker for Node, pages and the command line, and driving the browser",
        variables: &["GATEHOUSE_TEST_NODE", "GATEHOUSE_TEST_NODE_CLIENTS"],
        packages: &["npm"],
        is_installed: node::is_installed,
        prepare: |places| Ok(node::prepare(places)?.into()),
    },
    Part {
        name: "oauth2, openidconnect, gitlab and sentry",
        tests: "signing in with the OAuth clients for Rust, a story of the API with a third one, and the SDK of the tracker for Rust",
        variables: &["GATEHOUSE_TEST_RUST_CLIENTS"],
        // Cargo brings them.
        packages: &[],
        is_installed: |_| true,
        prepare: |places| {
            Ok(vec![(
                "GATEHOUSE_TEST_RUST_CLIENTS",
                rust::prepare(places)?,
            )])
        },
    },
    Part {
        name: "python-gitlab, Schemathesis, openapi-python-client, OpenAPI Generator, Authlib, Requests-OAuthlib and sentry-sdk",
        tests: "stories with an API client, every operation against its description, clients generated from it, the SDK of the tracker for Python, and signing in with two OAuth clients",
        variables: &["GATEHOUSE_TEST_PYTHON"],
        packages: &["python3-venv"],
        is_installed: python::is_installed,
        prepare: |places| Ok(vec![("GATEHOUSE_TEST_PYTHON", python::prepare(places)?)]),
    },
];

impl Part {
    /// Whether the caller has named one.
    pub(crate) fn is_named(&self) -> bool {
        self.variables
            .iter()
            .all(|name| environment::value(name).is_some())
    }
}

/// Whether there is a server of any version where Debian's packages put it.
fn has_postgres(places: &Places) -> bool {
    let versions = places.system.join("usr/lib/postgresql").read_dir();
    let mut programs = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"));
    programs.any(|bin| bin.join("initdb").exists() && bin.join("pg_ctl").exists())
}

/// The pooler, which packages put where the programs of administrators are.
fn pgbouncer(places: &Places) -> Option<PathBuf> {
    let packaged = places.system.join("usr/sbin/pgbouncer");
    let packaged = Some(packaged).filter(|path| path.is_file());
    packaged.or_else(|| program(places, &["pgbouncer"]))
}

/// The server and its tool.
fn alertmanager(places: &Places) -> Option<[Setting; 2]> {
    // The first name is Debian's, the second the project's own.
    let server = program(places, &["prometheus-alertmanager", "alertmanager"])?;
    let tool = program(places, &["amtool"])?;
    Some([
        ("GATEHOUSE_TEST_ALERTMANAGER", server),
        ("GATEHOUSE_TEST_AMTOOL", tool),
    ])
}

/// The specification of the engine, which its package puts where Ruby finds it, with those of what it stands on.
fn doorkeeper(places: &Places) -> Option<PathBuf> {
    let directory = places
        .system
        .join("usr/share/rubygems-integration/all/specifications");
    let entries = directory.read_dir().into_iter().flatten().flatten();
    let names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let find = |beginning: &str| {
        // A number follows, so that an extension of the engine does not count as the engine.
        let is_version = |name: &&String| {
            name.strip_prefix(beginning)
                .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        };
        names.iter().find(is_version)
    };
    let engine = find("doorkeeper-")?;
    find("doorkeeper-openid_connect-").and(find("rails-"))?;
    places
        .system
        .join("usr/bin/puma")
        .is_file()
        .then(|| directory.join(engine))
}

/// The reverse proxies.
fn proxies(places: &Places) -> Option<[Setting; 4]> {
    let find = |path: &str| Some(places.system.join(path)).filter(|program| program.is_file());
    Some([
        ("GATEHOUSE_TEST_NGINX", find("usr/sbin/nginx")?),
        ("GATEHOUSE_TEST_APACHE", find("usr/sbin/apache2")?),
        ("GATEHOUSE_TEST_HAPROXY", find("usr/sbin/haproxy")?),
        ("GATEHOUSE_TEST_CADDY", find("usr/bin/caddy")?),
    ])
}

/// The browser. Its build without windows of its own takes two thirds of the other's time for the same pages.
fn chromium(places: &Places) -> Option<PathBuf> {
    let names = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    program(places, &names)
}

/// The first of the programs that is where packages put them or on the search path.
pub(super) fn program(places: &Places, names: &[&str]) -> Option<PathBuf> {
    let packaged = names
        .iter()
        .map(|name| places.system.join("usr/bin").join(name));
    let mut found = packaged.filter(|path| path.is_file());
    let elsewhere = || names.iter().find_map(|name| environment::program(name));
    found.next().or_else(elsewhere)
}

/// Whether Debian's package manager is there.
pub(crate) fn is_debian(system: &Path) -> bool {
    system.join("etc/debian_version").exists() && system.join("usr/bin/apt-get").exists()
}

/// The one line that installs packages.
pub(crate) fn install_line(packages: &[&str]) -> String {
    format!(
        "sudo apt-get install --yes --no-install-recommends {}",
        packages.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// An empty machine with some files.
    fn machine(files: &[&str]) -> (tempfile::TempDir, Places) {
        let directory = tempfile::tempdir().unwrap();
        for path in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let places = Places {
            system: directory.path().to_owned(),
            outside: directory.path().join("outside"),
            lists: directory.path().join("lists"),
            rust_clients: directory.path().join("rust-clients"),
        };
        (directory, places)
    }

    #[test]
    fn a_server_of_any_version_will_do_and_a_client_alone_will_not() {
        let (_kept, places) = machine(&["usr/lib/postgresql/17/bin/psql"]);
        assert!(!has_postgres(&places));
        let bin = "usr/lib/postgresql/17/bin";
        let (_kept, places) = machine(&[&format!("{bin}/initdb"), &format!("{bin}/pg_ctl")]);
        assert!(has_postgres(&places));
    }

    #[test]
    fn a_pooler_for_administrators_alone_counts() {
        let (_kept, places) = machine(&["usr/sbin/pgbouncer"]);
        let expected = places.system.join("usr/sbin/pgbouncer");
        assert_eq!(pgbouncer(&places), Some(expected));
    }

    #[test]
    fn alertmanager_and_its_tool_are_named_to_the_tests() {
        let (_kept, places) = machine(&["usr/bin/prometheus-alertmanager", "usr/bin/amtool"]);
        let named = alertmanager(&places).unwrap();
        let bin = places.system.join("usr/bin");
        let expected = [
            (
                "GATEHOUSE_TEST_ALERTMANAGER",
                bin.join("prometheus-alertmanager"),
            ),
            ("GATEHOUSE_TEST_AMTOOL", bin.join("amtool")),
        ];
        assert_eq!(named, expected);
    }

    #[test]
    fn reverse_proxies_count_together() {
        let programs = [
            "usr/sbin/nginx",
            "usr/sbin/apache2",
            "usr/sbin/haproxy",
            "usr/bin/caddy",
        ];
        let (_kept, places) = machine(&programs);
        let named = proxies(&places).unwrap();
        for ((_, program), path) in named.iter().zip(programs) {
            assert_eq!(*program, places.system.join(path));
        }
        let (_kept, places) = machine(&programs[..3]);
        assert!(proxies(&places).is_none());
    }

    #[test]
    fn the_engine_counts_with_all_that_it_stands_on() {
        let gems = "usr/share/rubygems-integration/all/specifications";
        let of = |names: &[&str]| {
            let mut files: Vec<String> = names
                .iter()
                .map(|name| format!("{gems}/{name}.gemspec"))
                .collect();
            files.push("usr/bin/puma".to_owned());
            machine(&files.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let whole = [
            "doorkeeper-5.5.0",
            "doorkeeper-openid_connect-1.8.0",
            "rails-6.1.7",
        ];
        let (_kept, places) = of(&whole);
        let engine = places.system.join(gems).join("doorkeeper-5.5.0.gemspec");
        assert_eq!(doorkeeper(&places), Some(engine));
        for missing in whole {
            let rest: Vec<_> = whole.into_iter().filter(|name| *name != missing).collect();
            let (_kept, places) = of(&rest);
            assert_eq!(doorkeeper(&places), None, "without {missing}");
        }
    }

    #[test]
    fn debian_is_known_by_its_package_manager() {
        let (_kept, places) = machine(&["etc/debian_version", "usr/bin/apt-get"]);
        assert!(is_debian(&places.system));
        let (_kept, places) = machine(&["etc/debian_version"]);
        assert!(!is_debian(&places.system));
    }
}
