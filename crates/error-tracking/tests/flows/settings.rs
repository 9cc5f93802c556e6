//! Settings, and the first client key.

use api_conventions::error::ValidationFailures;
use api_conventions::page::OffsetPage;
use error_tracking::flow::settings::{
    ExternalChange, OnMissingSettings, SettingsChange, SettingsRefusal, change_settings, not_found,
};
use error_tracking::model::{ClientKey, ClientKeyChange, Options, PublicKey, Settings};
use error_tracking::store::{SettingsQueries as _, SettingsRepository as _};
use storage::{Store as _, StoreError};

use crate::support::{HERE, TrackerStore, at};

const ADDRESS: &str = "https://tracker.example/api/0/projects/acme/web-shop/";

impl TrackerStore {
    /// Changes the settings of [`HERE`].
    /// The first key would be created from `random`.
    fn change_settings(
        &self,
        change: SettingsChange,
        without: OnMissingSettings,
        random: u8,
    ) -> Result<Settings, SettingsRefusal> {
        self.0
            .write(move |tx| change_settings(tx, HERE, &change, without, [random; 16], at(5)))
            .wait()
    }

    /// Changes the settings, which must be valid.
    fn put(&self, change: SettingsChange) -> Settings {
        self.change_settings(change, OnMissingSettings::Create, 7)
            .unwrap()
    }

    /// Validation failures of a change, of which nothing is stored.
    fn failures(&self, change: SettingsChange) -> ValidationFailures {
        let before = self.settings();
        let refused = self.change_settings(change, OnMissingSettings::Create, 7);
        assert_eq!(self.settings(), before);
        let Err(SettingsRefusal::Invalid(failures)) = refused else {
            unreachable!("{refused:?}");
        };
        failures
    }

    fn settings(&self) -> Option<Settings> {
        let found = self.0.read(|tx| tx.find_error_settings(HERE));
        let found: Result<_, StoreError> = found.wait();
        found.unwrap()
    }

    fn client_keys(&self) -> Vec<ClientKey> {
        let listed = self
            .0
            .read(|tx| tx.list_client_keys(HERE, OffsetPage::default()));
        let listed: Result<_, StoreError> = listed.wait();
        listed.unwrap().items
    }
}

/// Change that turns collecting on.
fn collecting() -> SettingsChange {
    SettingsChange {
        active: Some(true),
        integrated: Some(true),
        ..SettingsChange::default()
    }
}

/// Change that selects an external tracker.
fn external(api_url: &str, token: Option<&[u8]>) -> SettingsChange {
    SettingsChange {
        active: Some(true),
        integrated: Some(false),
        external: Some(ExternalChange {
            api_url: Some(api_url.to_owned()),
            project_name: None,
            token: token.map(<[u8]>::to_vec),
        }),
        ..SettingsChange::default()
    }
}

#[test]
fn settings_are_created_by_put_and_not_by_patch() {
    let tracker = TrackerStore::default();
    let refused = tracker.change_settings(collecting(), OnMissingSettings::Refuse, 7);
    assert!(matches!(refused, Err(SettingsRefusal::NotFound)));
    assert_eq!(tracker.settings(), None);
    assert_eq!(tracker.client_keys(), []);
    let made = tracker.put(collecting());
    assert!(made.collects());
    assert_eq!(tracker.settings().as_ref(), Some(&made));
    let off = SettingsChange {
        active: Some(false),
        ..SettingsChange::default()
    };
    let patched = tracker
        .change_settings(off, OnMissingSettings::Refuse, 7)
        .unwrap();
    let expected = Settings {
        active: false,
        ..made
    };
    assert_eq!(
        (&patched, tracker.settings().as_ref()),
        (&expected, Some(&expected))
    );
    let body = not_found().to_string();
    assert!(body.contains("Error Tracking Setting"), "{body}");
}

#[test]
fn the_first_client_key_is_created_once() {
    let tracker = TrackerStore::default();
    tracker.put(SettingsChange::default());
    assert_eq!(tracker.client_keys(), [], "nothing is collected yet");
    tracker.put(collecting());
    let keys = tracker.client_keys();
    let [key] = &*keys else {
        unreachable!("{keys:?}");
    };
    assert_eq!(key.public_key, PublicKey::from_random([7; 16]));
    assert_eq!((key.active, key.created_at), (true, at(5)));
    tracker
        .change_settings(collecting(), OnMissingSettings::Refuse, 8)
        .unwrap();
    assert_eq!(tracker.client_keys(), keys);
    // If no key is active any more, another one is created.
    let id = key.id;
    let off = tracker.0.write(move |tx| {
        let change = ClientKeyChange::Active(false);
        tx.update_client_key(HERE, id, change)
    });
    let off: Result<_, StoreError> = off.wait();
    off.unwrap();
    tracker
        .change_settings(collecting(), OnMissingSettings::Refuse, 9)
        .unwrap();
    let keys = tracker.client_keys();
    let active: Vec<bool> = keys.iter().map(|key| key.active).collect();
    assert_eq!(active, [false, true]);
}

#[test]
fn another_tracker_has_an_address_and_a_token() {
    let tracker = TrackerStore::default();
    let failures = tracker.failures(SettingsChange {
        active: Some(true),
        ..SettingsChange::default()
    });
    for attribute in ["api_url", "token"] {
        assert_eq!(
            failures.of(attribute),
            ["is a required field"],
            "{attribute}"
        );
    }
    // A blank address counts as missing.
    let failures = tracker.failures(external(" ", Some(b"sealed")));
    assert_eq!(failures.of("api_url"), ["is a required field"]);
    assert!(failures.of("token").is_empty());
    // Settings that are off, or integrated, need neither.
    let off = SettingsChange {
        active: Some(false),
        ..external("", None)
    };
    assert!(!tracker.put(off).active);
    let settings = tracker.put(external(ADDRESS, Some(b"sealed")));
    assert!(settings.is_external());
    assert_eq!(settings.external.api_url.as_deref(), Some(ADDRESS));
    assert_eq!(settings.external.token.as_deref(), Some(&b"sealed"[..]));
    assert_eq!(tracker.client_keys(), [], "nothing is collected here");
}

#[test]
fn an_address_names_a_project_of_a_tracker() {
    let tracker = TrackerStore::default();
    for (address, attribute, text) in [
        ("tracker.example", "api_url", "is invalid"),
        (
            "ftp://tracker.example/api/0/projects/a/b/",
            "api_url",
            "is invalid",
        ),
        ("https://tracker.example/", "api_url", "is invalid"),
        (
            "https://tracker.example/api/0/projects/",
            "project",
            "is a required field",
        ),
        (
            "https://tracker.example/api/0/projects/acme/",
            "project",
            "is a required field",
        ),
    ] {
        let failures = tracker.failures(external(address, Some(b"sealed")));
        assert_eq!(failures.of(attribute), [text], "{address}");
        // Settings that are off are validated, too: they would be invalid once turned on.
        let off = SettingsChange {
            active: Some(false),
            ..external(address, None)
        };
        let failures = tracker.failures(off);
        assert_eq!(failures.of(attribute), [text], "{address}");
    }
}

#[test]
fn a_token_is_sent_to_nobody_else_than_it_was_given_for() {
    let tracker = TrackerStore::default();
    tracker.put(external(ADDRESS, Some(b"sealed")));
    let mut renamed = external(ADDRESS, None);
    renamed.external.as_mut().unwrap().project_name = Some("Shop".to_owned());
    let kept = tracker.put(renamed);
    assert_eq!(kept.external.token.as_deref(), Some(&b"sealed"[..]));
    assert_eq!(kept.external.project_name.as_deref(), Some("Shop"));
    let elsewhere = "https://other.example/api/0/projects/acme/web-shop/";
    let failures = tracker.failures(external(elsewhere, None));
    assert_eq!(failures.of("token"), ["is a required field"]);
    let off = SettingsChange {
        active: Some(false),
        ..external(elsewhere, None)
    };
    assert_eq!(tracker.put(off).external.token, None);
    // The token does not return with the old address.
    let failures = tracker.failures(external(ADDRESS, None));
    assert_eq!(failures.of("token"), ["is a required field"]);
    let replaced = tracker.put(external(elsewhere, Some(b"another")));
    assert_eq!(replaced.external.token.as_deref(), Some(&b"another"[..]));
}

#[test]
fn omitted_fields_are_unchanged_and_options_are_bounded() {
    let tracker = TrackerStore::default();
    let with = |change: fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        SettingsChange {
            options: Some(options),
            ..SettingsChange::default()
        }
    };
    tracker.put(external(ADDRESS, Some(b"sealed")));
    let changed = tracker.put(with(|options| options.retention_days = 7));
    assert_eq!(changed.options.retention_days, 7);
    assert!(changed.is_external() && changed.external.token.is_some());
    for (attribute, change) in [
        (
            "events_per_minute",
            with(|options| options.events_per_minute = 0),
        ),
        (
            "events_per_minute",
            with(|options| options.events_per_minute = 1_000_001),
        ),
        ("retention_days", with(|options| options.retention_days = 0)),
        (
            "retention_days",
            with(|options| options.retention_days = 3651),
        ),
        (
            "events_per_error",
            with(|options| options.events_per_error = 19),
        ),
        (
            "events_per_error",
            with(|options| options.events_per_error = 100_001),
        ),
    ] {
        let failures = tracker.failures(change);
        assert_eq!(failures.of(attribute).len(), 1, "{failures:?}");
    }
    for change in [
        with(|options| (options.events_per_minute, options.retention_days) = (1, 1)),
        with(|options| options.events_per_minute = 1_000_000),
        with(|options| options.retention_days = 3650),
        with(|options| options.events_per_error = 20),
        with(|options| options.events_per_error = 100_000),
    ] {
        tracker.put(change);
    }
}
