//! A host that embeds one domain crate has the tables of that crate and no others: the clauses of the crate hold all the
//! same, although nobody inserted the users and projects that rows name.
//!
//! `cargo test -p storage-diesel --no-default-features --features sqlite,alert-intake --test alone` plays those of one
//! crate; `cargo xtask ci` plays each.
#![cfg(feature = "sqlite")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics is a test that fails"
)]
#![allow(
    dead_code,
    unused_imports,
    reason = "with the features of several crates there is nothing to play here"
)]

#[cfg(feature = "projects")]
use api_conventions::ids::ProjectId;
use storage_conformance::Harness;
#[cfg(feature = "projects")]
use storage_conformance::projects::insert_places;
use storage_diesel::{SqliteOptions, SqliteStore};
use tempfile::TempDir;

/// Whether one crate is served and no other. The suites take all of them elsewhere.
macro_rules! alone {
    ($mine:literal, $($other:literal),+: $item:item) => {
        #[cfg(all(feature = $mine, not(any($(feature = $other),+))))]
        $item
    };
}

struct Alone {
    store: SqliteStore,
    directory: TempDir,
}

fn open(directory: &TempDir) -> SqliteStore {
    let path = directory.path().join("alone.sqlite3");
    let store = SqliteStore::open(path, SqliteOptions::default()).unwrap();
    store.migrate().unwrap();
    store.prove().wait().unwrap();
    store
}

impl Harness for Alone {
    type Store = SqliteStore;
    type ProbeRows = ();

    fn fresh() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let store = open(&directory);
        Some(Self { store, directory })
    }

    fn store(&self) -> &SqliteStore {
        &self.store
    }

    fn reopen(&mut self) {
        self.store.close();
        self.store = open(&self.directory);
    }

    fn open_again(&self) -> SqliteStore {
        open(&self.directory)
    }

    // What belongs to a project needs it where projects are served; its creator is the host's.
    #[cfg(feature = "projects")]
    fn places(&self) -> [ProjectId; 2] {
        let [owner, ..] = self.people();
        insert_places(&self.store, owner)
    }
}

alone! {
    "accounts", "projects", "alert-intake", "events", "oauth-provider", "deprecations", "pipelines":
    mod accounts {
        storage_conformance::accounts_suite!(super::Alone);

        mod sign_in {
            storage_conformance::sign_in_suite!(crate::Alone);
        }
    }
}

alone! {
    "projects", "accounts", "alert-intake", "events", "oauth-provider", "deprecations", "pipelines":
    mod projects {
        storage_conformance::projects_suite!(super::Alone);
    }
}

alone! {
    "alert-intake", "accounts", "projects", "events", "oauth-provider", "deprecations", "pipelines":
    mod alerts {
        storage_conformance::alerts_suite!(super::Alone);
    }
}

alone! {
    "events", "accounts", "projects", "alert-intake", "oauth-provider", "deprecations", "pipelines":
    mod events {
        storage_conformance::events_suite!(super::Alone);
    }
}

alone! {
    "oauth-provider", "accounts", "projects", "alert-intake", "events", "deprecations", "pipelines":
    mod oauth {
        storage_conformance::oauth_suite!(super::Alone);
    }
}

alone! {
    "deprecations", "accounts", "projects", "alert-intake", "events", "oauth-provider", "pipelines":
    mod deprecations {
        storage_conformance::deprecations_suite!(super::Alone);
    }
}

alone! {
    "pipelines", "accounts", "projects", "alert-intake", "events", "oauth-provider", "error-tracking", "deprecations":
    mod pipelines {
        storage_conformance::pipelines_suite!(super::Alone);
    }
}
