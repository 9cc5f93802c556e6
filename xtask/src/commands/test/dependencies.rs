//! External programs that some tests need.
//!
//! A new part is a row of [`DEPENDENCIES`]. Tests that need it read its variables, and skip their work when they are not set.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{node, python, rust};
use crate::environment;

/// Directories to search for outside parts.
#[derive(Debug)]
pub(crate) struct SearchPaths {
    /// The root of the file system.
    pub(crate) system: PathBuf,
    /// The directory of everything that the test command itself fetches.
    pub(crate) outside: PathBuf,
    /// The directory of the lists of packages to fetch.
    pub(crate) lists: PathBuf,
    /// The directory of the program with the Rust clients.
    pub(crate) rust_clients: PathBuf,
}

/// An environment variable for the tests, and the program that it names.
pub(crate) type TestVariable = (&'static str, PathBuf);

/// An outside part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExternalDependency {
    pub(crate) name: &'static str,
    /// Tests that are skipped without it.
    pub(crate) tests: &'static str,
    /// The variables that tell the tests its path. A caller who has set them needs nothing else.
    pub(crate) variables: &'static [&'static str],
    /// The Debian packages that provide it.
    pub(crate) packages: &'static [&'static str],
    /// True if the files of the packages are there.
    pub(crate) is_installed: fn(&SearchPaths) -> bool,
    /// Runs once the packages are there: fetches the rest, and returns the variables for the tests.
    pub(crate) prepare: fn(&SearchPaths) -> Result<Vec<TestVariable>>,
}

/// All outside parts.
pub(crate) const DEPENDENCIES: &[ExternalDependency] = &[
    ExternalDependency {
        name: "PostgreSQL server",
        tests: "the storage engine and the server on PostgreSQL",
        variables: &["GATEHOUSE_TEST_POSTGRES"],
        packages: &["postgresql"],
        is_installed: has_postgres,
        // The tests find the programs themselves, in the same directories.
        prepare: |_| Ok(Vec::new()),
    },
    ExternalDependency {
        name: "Alertmanager",
        tests: "delivery by a real Alertmanager",
        variables: &["GATEHOUSE_TEST_ALERTMANAGER", "GATEHOUSE_TEST_AMTOOL"],
        packages: &["prometheus-alertmanager"],
        is_installed: |paths| alertmanager(paths).is_some(),
        prepare: |paths| Ok(alertmanager(paths).into_iter().flatten().collect()),
    },
    ExternalDependency {
        name: "Prometheus",
        tests: "a rule of a real Prometheus",
        variables: &["GATEHOUSE_TEST_PROMETHEUS"],
        packages: &["prometheus"],
        is_installed: |paths| prometheus(paths).is_some(),
        prepare: |paths| Ok(prometheus(paths).into_iter().collect()),
    },
    ExternalDependency {
        name: "systemd",
        tests: "the unit of the Debian package",
        variables: &["GATEHOUSE_TEST_SYSTEMD_ANALYZE"],
        packages: &["systemd"],
        is_installed: |paths| systemd_analyze(paths).is_some(),
        prepare: |paths| Ok(systemd_analyze(paths).into_iter().collect()),
    },
    ExternalDependency {
        name: "PgBouncer",
        tests: "the storage engine and the server behind a pooler",
        variables: &["GATEHOUSE_TEST_PGBOUNCER"],
        packages: &["pgbouncer"],
        is_installed: |paths| pgbouncer(paths).is_some(),
        prepare: |paths| {
            let found = pgbouncer(paths).into_iter();
            Ok(found
                .map(|pooler| ("GATEHOUSE_TEST_PGBOUNCER", pooler))
                .collect())
        },
    },
    ExternalDependency {
        name: "Doorkeeper",
        tests: "the OAuth provider compared with Doorkeeper",
        variables: &["GATEHOUSE_TEST_DOORKEEPER"],
        packages: &[
            "ruby-doorkeeper",
            "ruby-doorkeeper-openid-connect",
            "ruby-rails",
            "ruby-sqlite3",
            "puma",
        ],
        is_installed: |paths| doorkeeper(paths).is_some(),
        prepare: |paths| {
            let found = doorkeeper(paths).into_iter();
            Ok(found
                .map(|engine| ("GATEHOUSE_TEST_DOORKEEPER", engine))
                .collect())
        },
    },
    ExternalDependency {
        name: "nginx, Apache, HAProxy and Caddy",
        tests: "the server behind the reverse proxies of docs/reverse-proxy.md",
        variables: &[
            "GATEHOUSE_TEST_NGINX",
            "GATEHOUSE_TEST_APACHE",
            "GATEHOUSE_TEST_HAPROXY",
            "GATEHOUSE_TEST_CADDY",
        ],
        // Only the programs of Apache: its service would use the port of the others.
        packages: &["nginx", "apache2-bin", "haproxy", "caddy"],
        is_installed: |paths| proxies(paths).is_some(),
        prepare: |paths| Ok(proxies(paths).into_iter().flatten().collect()),
    },
    ExternalDependency {
        name: "Patroni",
        tests: "a failover of PostgreSQL with the block of docs/operating.md",
        variables: &["GATEHOUSE_TEST_PATRONI"],
        packages: &["patroni", "python3-pysyncobj"],
        is_installed: |paths| patroni(paths).is_some(),
        prepare: |paths| {
            let found = patroni(paths).into_iter();
            Ok(found
                .map(|program| ("GATEHOUSE_TEST_PATRONI", program))
                .collect())
        },
    },
    ExternalDependency {
        name: "Git and fcgiwrap",
        tests: "Git behind nginx with the blocks of docs/git.md",
        variables: &["GATEHOUSE_TEST_FCGIWRAP", "GATEHOUSE_TEST_GIT_BACKEND"],
        packages: &["git", "fcgiwrap", "curl"],
        is_installed: |paths| git_host(paths).is_some(),
        prepare: |paths| Ok(git_host(paths).into_iter().flatten().collect()),
    },
    ExternalDependency {
        name: "Docker registry and skopeo",
        tests: "the container registry with the blocks of docs/registry.md",
        variables: &["GATEHOUSE_TEST_REGISTRY", "GATEHOUSE_TEST_SKOPEO"],
        packages: &["docker-registry", "skopeo"],
        is_installed: |paths| container_registry(paths).is_some(),
        prepare: |paths| Ok(container_registry(paths).into_iter().flatten().collect()),
    },
    ExternalDependency {
        name: "GitLab::API::v4 for Perl and the gem gitlab for Ruby",
        tests: "API scenarios with these clients",
        variables: &["GATEHOUSE_TEST_PERL", "GATEHOUSE_TEST_RUBY"],
        packages: &["libgitlab-api-v4-perl", "ruby-gitlab"],
        is_installed: |paths| script_clients(paths).is_some(),
        prepare: |paths| Ok(script_clients(paths).into_iter().flatten().collect()),
    },
    ExternalDependency {
        name: "Chromium",
        tests: "the pages in a real browser",
        variables: &["GATEHOUSE_TEST_CHROMIUM"],
        packages: &["chromium-headless-shell"],
        is_installed: |paths| chromium(paths).is_some(),
        prepare: |paths| {
            let found = chromium(paths).into_iter();
            Ok(found
                .map(|browser| ("GATEHOUSE_TEST_CHROMIUM", browser))
                .collect())
        },
    },
    ExternalDependency {
        name: "openid-client, @gitbeaker/rest, openapi-typescript, Redocly, standardwebhooks, @sentry/node and @sentry/browser",
        tests: "sign-in with a Node client, an API scenario with another one, types generated from the OpenAPI document, the Sentry SDKs for Node, pages and the command line, webhooks of notifications, and browser control",
        variables: &["GATEHOUSE_TEST_NODE", "GATEHOUSE_TEST_NODE_CLIENTS"],
        packages: &["npm"],
        is_installed: node::is_installed,
        prepare: |paths| Ok(node::prepare(paths)?.into()),
    },
    ExternalDependency {
        name: "oauth2, openidconnect, gitlab and sentry",
        tests: "sign-in with the Rust OAuth clients, an API scenario with a third one, and the Sentry SDK for Rust",
        variables: &["GATEHOUSE_TEST_RUST_CLIENTS"],
        // Fetched by cargo.
        packages: &[],
        is_installed: |_| true,
        prepare: |paths| Ok(vec![("GATEHOUSE_TEST_RUST_CLIENTS", rust::prepare(paths)?)]),
    },
    ExternalDependency {
        name: "python-gitlab, Schemathesis, openapi-python-client, OpenAPI Generator, Authlib, Requests-OAuthlib, aiosmtpd, standardwebhooks and sentry-sdk",
        tests: "scenarios with an API client, every operation against its description, clients generated from it, the Sentry SDK for Python, mail and webhooks of notifications, and sign-in with two OAuth clients",
        variables: &["GATEHOUSE_TEST_PYTHON"],
        packages: &["python3-venv"],
        is_installed: python::is_installed,
        prepare: |paths| Ok(vec![("GATEHOUSE_TEST_PYTHON", python::prepare(paths)?)]),
    },
];

impl ExternalDependency {
    /// True if the caller has set one of its variables.
    pub(crate) fn is_named(&self) -> bool {
        self.variables
            .iter()
            .all(|name| environment::value(name).is_some())
    }
}

/// True if a server of any version is in the directory of Debian's packages.
fn has_postgres(paths: &SearchPaths) -> bool {
    let versions = paths.system.join("usr/lib/postgresql").read_dir();
    let mut programs = versions
        .into_iter()
        .flatten()
        .flatten()
        .map(|version| version.path().join("bin"));
    programs.any(|bin| bin.join("initdb").exists() && bin.join("pg_ctl").exists())
}

/// The pooler, which packages install in the directory of administrators' programs.
fn pgbouncer(paths: &SearchPaths) -> Option<PathBuf> {
    let packaged = paths.system.join("usr/sbin/pgbouncer");
    let packaged = Some(packaged).filter(|path| path.is_file());
    packaged.or_else(|| program(paths, &["pgbouncer"]))
}

fn prometheus(paths: &SearchPaths) -> Option<TestVariable> {
    let server = program(paths, &["prometheus"])?;
    Some(("GATEHOUSE_TEST_PROMETHEUS", server))
}

fn systemd_analyze(paths: &SearchPaths) -> Option<TestVariable> {
    let program = program(paths, &["systemd-analyze"])?;
    Some(("GATEHOUSE_TEST_SYSTEMD_ANALYZE", program))
}

/// The server and its tool.
fn alertmanager(paths: &SearchPaths) -> Option<[TestVariable; 2]> {
    // The first name is Debian's, the second the project's own.
    let server = program(paths, &["prometheus-alertmanager", "alertmanager"])?;
    let tool = program(paths, &["amtool"])?;
    Some([
        ("GATEHOUSE_TEST_ALERTMANAGER", server),
        ("GATEHOUSE_TEST_AMTOOL", tool),
    ])
}

/// The specification of the engine, which its package installs in the directory of Ruby's gems, along with its
/// dependencies.
fn doorkeeper(paths: &SearchPaths) -> Option<PathBuf> {
    let directory = paths
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
    paths
        .system
        .join("usr/bin/puma")
        .is_file()
        .then(|| directory.join(engine))
}

/// The reverse proxies.
fn proxies(paths: &SearchPaths) -> Option<[TestVariable; 4]> {
    let find = |path: &str| Some(paths.system.join(path)).filter(|program| program.is_file());
    Some([
        ("GATEHOUSE_TEST_NGINX", find("usr/sbin/nginx")?),
        ("GATEHOUSE_TEST_APACHE", find("usr/sbin/apache2")?),
        ("GATEHOUSE_TEST_HAPROXY", find("usr/sbin/haproxy")?),
        ("GATEHOUSE_TEST_CADDY", find("usr/bin/caddy")?),
    ])
}

/// Patroni, whose members vote with a library that is a package of its own.
fn patroni(paths: &SearchPaths) -> Option<PathBuf> {
    let library = "usr/lib/python3/dist-packages/pysyncobj";
    let is_complete = paths.system.join(library).is_dir();
    program(paths, &["patroni"]).filter(|_| is_complete)
}

/// Programs that serve repositories over HTTP, of which a hook runs curl.
fn git_host(paths: &SearchPaths) -> Option<[TestVariable; 2]> {
    let find = |path: &str| Some(paths.system.join(path)).filter(|program| program.is_file());
    program(paths, &["curl"])?;
    Some([
        ("GATEHOUSE_TEST_FCGIWRAP", find("usr/sbin/fcgiwrap")?),
        (
            "GATEHOUSE_TEST_GIT_BACKEND",
            find("usr/lib/git-core/git-http-backend")?,
        ),
    ])
}

/// The registry, and a client of it.
fn container_registry(paths: &SearchPaths) -> Option<[TestVariable; 2]> {
    let find = |path: &str| Some(paths.system.join(path)).filter(|program| program.is_file());
    Some([
        ("GATEHOUSE_TEST_REGISTRY", find("usr/bin/docker-registry")?),
        ("GATEHOUSE_TEST_SKOPEO", find("usr/bin/skopeo")?),
    ])
}

/// The interpreters of clients in Perl and Ruby, which their packages install for all programs.
fn script_clients(paths: &SearchPaths) -> Option<[TestVariable; 2]> {
    let find = |path: &str| Some(paths.system.join(path)).filter(|program| program.is_file());
    let gems = paths
        .system
        .join("usr/share/rubygems-integration/all/specifications");
    let has_gem = gems.read_dir().ok()?.flatten().any(|entry| {
        let name = entry.file_name();
        // A number follows, so that another gem does not count.
        let rest = name.to_str().and_then(|name| name.strip_prefix("gitlab-"));
        rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    });
    let module = find("usr/share/perl5/GitLab/API/v4.pm");
    module.filter(|_| has_gem)?;
    Some([
        ("GATEHOUSE_TEST_PERL", find("usr/bin/perl")?),
        ("GATEHOUSE_TEST_RUBY", find("usr/bin/ruby")?),
    ])
}

/// The browser. The headless shell takes two thirds of the full build's time for the same pages.
fn chromium(paths: &SearchPaths) -> Option<PathBuf> {
    let names = [
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
    ];
    program(paths, &names)
}

/// The first of the programs that is in the directory of packages or on the search path.
pub(super) fn program(paths: &SearchPaths, names: &[&str]) -> Option<PathBuf> {
    let packaged = names
        .iter()
        .map(|name| paths.system.join("usr/bin").join(name));
    let mut found = packaged.filter(|path| path.is_file());
    let on_search_path = || names.iter().find_map(|name| environment::program(name));
    found.next().or_else(on_search_path)
}

/// True if Debian's package manager is there.
pub(crate) fn is_debian(system: &Path) -> bool {
    system.join("etc/debian_version").exists() && system.join("usr/bin/apt-get").exists()
}

/// The command that installs packages.
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
    fn machine(files: &[&str]) -> (tempfile::TempDir, SearchPaths) {
        let directory = tempfile::tempdir().unwrap();
        for path in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let paths = SearchPaths {
            system: directory.path().to_owned(),
            outside: directory.path().join("outside"),
            lists: directory.path().join("lists"),
            rust_clients: directory.path().join("rust-clients"),
        };
        (directory, paths)
    }

    #[test]
    fn a_server_of_any_version_will_do_and_a_client_alone_will_not() {
        let (_kept, paths) = machine(&["usr/lib/postgresql/17/bin/psql"]);
        assert!(!has_postgres(&paths));
        let bin = "usr/lib/postgresql/17/bin";
        let (_kept, paths) = machine(&[&format!("{bin}/initdb"), &format!("{bin}/pg_ctl")]);
        assert!(has_postgres(&paths));
    }

    #[test]
    fn a_pooler_for_administrators_alone_counts() {
        let (_kept, paths) = machine(&["usr/sbin/pgbouncer"]);
        let expected = paths.system.join("usr/sbin/pgbouncer");
        assert_eq!(pgbouncer(&paths), Some(expected));
    }

    #[test]
    fn alertmanager_and_its_tool_are_named_to_the_tests() {
        let (_kept, paths) = machine(&["usr/bin/prometheus-alertmanager", "usr/bin/amtool"]);
        let named = alertmanager(&paths).unwrap();
        let bin = paths.system.join("usr/bin");
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
        let (_kept, paths) = machine(&programs);
        let named = proxies(&paths).unwrap();
        for ((_, program), path) in named.iter().zip(programs) {
            assert_eq!(*program, paths.system.join(path));
        }
        let (_kept, paths) = machine(&programs[..3]);
        assert!(proxies(&paths).is_none());
    }

    #[test]
    fn patroni_counts_with_the_library_of_its_votes() {
        let library = "usr/lib/python3/dist-packages/pysyncobj/__init__.py";
        let (_kept, paths) = machine(&["usr/bin/patroni", library]);
        assert_eq!(patroni(&paths), Some(paths.system.join("usr/bin/patroni")));
        let (_kept, paths) = machine(&["usr/bin/patroni"]);
        assert_eq!(patroni(&paths), None);
    }

    #[test]
    fn programs_of_a_git_host_count_together() {
        let programs = [
            "usr/sbin/fcgiwrap",
            "usr/lib/git-core/git-http-backend",
            "usr/bin/curl",
        ];
        let (_kept, paths) = machine(&programs);
        let named = git_host(&paths).unwrap();
        for ((_, program), path) in named.iter().zip(programs) {
            assert_eq!(*program, paths.system.join(path));
        }
        let (_kept, paths) = machine(&programs[1..]);
        assert!(git_host(&paths).is_none());
    }

    #[test]
    fn a_registry_and_its_client_count_together() {
        let programs = ["usr/bin/docker-registry", "usr/bin/skopeo"];
        let (_kept, paths) = machine(&programs);
        let named = container_registry(&paths).unwrap();
        for ((_, program), path) in named.iter().zip(programs) {
            assert_eq!(*program, paths.system.join(path));
        }
        let (_kept, paths) = machine(&programs[..1]);
        assert!(container_registry(&paths).is_none());
    }

    #[test]
    fn clients_in_perl_and_ruby_count_with_their_interpreters() {
        let files = [
            "usr/bin/perl",
            "usr/bin/ruby",
            "usr/share/perl5/GitLab/API/v4.pm",
            "usr/share/rubygems-integration/all/specifications/gitlab-4.17.0.gemspec",
        ];
        let (_kept, paths) = machine(&files);
        let named = script_clients(&paths).unwrap();
        for ((_, program), path) in named.iter().zip(files) {
            assert_eq!(*program, paths.system.join(path));
        }
        for missing in files {
            let rest: Vec<_> = files.into_iter().filter(|file| *file != missing).collect();
            let (_kept, paths) = machine(&rest);
            assert!(script_clients(&paths).is_none(), "without {missing}");
        }
    }

    #[test]
    fn doorkeeper_is_found_only_with_all_its_dependencies() {
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
        let (_kept, paths) = of(&whole);
        let engine = paths.system.join(gems).join("doorkeeper-5.5.0.gemspec");
        assert_eq!(doorkeeper(&paths), Some(engine));
        for missing in whole {
            let rest: Vec<_> = whole.into_iter().filter(|name| *name != missing).collect();
            let (_kept, paths) = of(&rest);
            assert_eq!(doorkeeper(&paths), None, "without {missing}");
        }
    }

    #[test]
    fn debian_is_known_by_its_package_manager() {
        let (_kept, paths) = machine(&["etc/debian_version", "usr/bin/apt-get"]);
        assert!(is_debian(&paths.system));
        let (_kept, paths) = machine(&["etc/debian_version"]);
        assert!(!is_debian(&paths.system));
    }
}
