//! Error tracking settings of a project: on or off, client keys, rate limits, filters and retention.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::page::OffsetPage;
use askama::Template;
use error_tracking::model::{ClientKey, Options, Settings};
use error_tracking::wire::dsn_of;

use super::programs::{Snippet, snippets};
use super::tracker_form::TrackerFields;
use crate::frame::intake_urls::collector_url;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, sentences};
use crate::frame::page::list::Tab;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{Found, Hidden, ProjectPage};
use crate::frame::page::settings_tabs;
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;

/// Users who can view and change the settings.
pub(super) type Managers = Hidden<Maintainer>;

/// Client keys that the page lists.
/// The API lists all of them.
const KEYS: u64 = 50;

/// A client key.
struct Key {
    id: String,
    dsn: String,
    is_on: bool,
    state: Pill,
    limit: String,
    made: DisplayTime,
}

/// Source of the errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// No settings yet.
    NotSetUp,
    /// Error tracking is off.
    Off,
    /// An external tracker.
    Elsewhere,
    /// Programs report errors to this server.
    Collects,
}

/// A numeric option.
struct Number {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: String,
    wrong: Vec<String>,
}

/// An option with one name per line.
struct Names {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: String,
}

/// A checkbox option.
struct Flag {
    name: &'static str,
    label: &'static str,
    is_ticked: bool,
}

/// Option values: the stored ones, or those entered in the form.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) numbers: [String; 5],
    pub(super) flags: [bool; 3],
    pub(super) names: [String; 2],
}

#[derive(Template)]
#[template(path = "areas/error_tracking/error_settings.html")]
struct SettingsPage {
    shell: Shell,
    tabs: Vec<Tab>,
    path: String,
    list: String,
    standing: Standing,
    state: Pill,
    keys: Vec<Key>,
    has_more_keys: bool,
    snippets: Vec<Snippet>,
    numbers: Vec<Number>,
    flags: Vec<Flag>,
    names: Vec<Names>,
    tracker: TrackerFields,
    problem: Option<String>,
}

/// Fields of the options: numbers, checkboxes, lists of names.
pub(super) const NUMBERS: [(&str, &str, &str); 5] = [
    (
        "events_per_minute",
        "Events a minute",
        "More than this of the whole project are refused, and the programs hear for how long.",
    ),
    (
        "error_events_per_minute",
        "Events a minute of one error",
        "More than this are counted and not stored, so that one error leaves room for the others. Empty for half of the project's.",
    ),
    (
        "events_per_day",
        "Events a day",
        "More than this are counted and not stored. Empty for any number.",
    ),
    (
        "events_per_error",
        "Events kept of each error",
        "The first, the latest and a sample of those between stay; what is counted stays exact.",
    ),
    (
        "retention_days",
        "Days that events are kept",
        "Errors and their numbers stay when their events are deleted.",
    ),
];
pub(super) const FLAGS: [(&str, &str); 3] = [
    (
        "opens_alerts",
        "Open an alert for every error that is new, or back after it was resolved",
    ),
    (
        "scrub_defaults",
        "Filter passwords, tokens, card numbers and cookies",
    ),
    ("scrub_ip_addresses", "Filter the IP addresses of users"),
];
pub(super) const NAMES: [(&str, &str, &str); 2] = [
    (
        "sensitive_fields",
        "Further fields to filter",
        "The names of fields whose values nobody is to see, one in each line.",
    ),
    (
        "safe_fields",
        "Fields that are never filtered by their name",
        "One in each line.",
    ),
];

impl Written {
    /// Returns the stored options.
    pub(super) fn of(options: &Options) -> Self {
        let per_day = options.events_per_day.map(|most| most.to_string());
        let of_error = options.error_events_per_minute.map(|most| most.to_string());
        let scrubbing = &options.scrubbing;
        Self {
            numbers: [
                options.events_per_minute.to_string(),
                of_error.unwrap_or_default(),
                per_day.unwrap_or_default(),
                options.events_per_error.to_string(),
                options.retention_days.to_string(),
            ],
            flags: [
                options.opens_alerts,
                scrubbing.has_defaults,
                scrubbing.hides_addresses,
            ],
            names: [scrubbing.sensitive.join("\n"), scrubbing.safe.join("\n")],
        }
    }
}

/// Answers with the page.
pub(super) async fn show(page: ProjectPage<Managers>) -> Result<HttpResponse, PageFailure> {
    answer(&page, StatusCode::OK, Sent::default()).await
}

/// Submitted values to show again: the fields with their validation failures, and other problems.
#[derive(Default)]
pub(super) struct Sent {
    pub(super) written: Option<(Written, ValidationFailures)>,
    pub(super) tracker: Option<TrackerFields>,
    pub(super) problem: Option<String>,
}

/// Answers with the page, and with the submitted values if they need a correction or a next step.
pub(super) async fn answer(
    page: &ProjectPage<Managers>,
    status: StatusCode,
    sent: Sent,
) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|tx, found| {
        let project = found.project.id;
        let settings = tx.find_error_settings(project)?;
        Ok((
            settings,
            tx.list_client_keys(project, OffsetPage::new(1, KEYS))?,
        ))
    });
    let ((stored, keys), found) = read.await?;
    let settings = stored
        .clone()
        .unwrap_or_else(|| Settings::new(found.project.id));
    let (written, failures) = sent.written.unwrap_or_else(|| {
        let none = ValidationFailures::default();
        (Written::of(&settings.options), none)
    });
    let first_on = keys.items.iter().find(|key| key.active);
    let collector = collector_url(&page.state().base_url);
    let is_collecting = settings.collects();
    let lines = first_on.filter(|_| is_collecting);
    page.show_with(
        status,
        &SettingsPage {
            shell: page.shell(&found, Section::Settings, "Error tracking"),
            tabs: settings_tabs::tabs(&found, settings_tabs::Part::ErrorTracking),
            path: path_of(&found),
            list: format!("{}/-/error_tracking", found.path()),
            standing: match stored {
                None => Standing::NotSetUp,
                Some(_) if is_collecting => Standing::Collects,
                Some(_) if settings.active => Standing::Elsewhere,
                Some(_) => Standing::Off,
            },
            state: if settings.active { Pill::ON } else { Pill::OFF },
            snippets: lines
                .map(|key| snippets(&dsn_of(key, &collector)))
                .unwrap_or_default(),
            keys: keys.items.iter().map(|key| shown(key, page)).collect(),
            has_more_keys: keys.has_next,
            numbers: numbers(&written, &failures),
            flags: flags(&written),
            names: names(&written),
            tracker: sent.tracker.unwrap_or_else(|| TrackerFields::of(&settings)),
            problem: sent.problem,
        },
    )
}

/// Path of the page, below the root of the server.
pub(super) fn path_of(found: &Found) -> String {
    format!("{}/-/settings/error_tracking", found.path())
}

fn shown(key: &ClientKey, page: &ProjectPage<Managers>) -> Key {
    Key {
        id: key.id.to_string(),
        dsn: dsn_of(key, &collector_url(&page.state().base_url)),
        is_on: key.active,
        state: if key.active { Pill::ON } else { Pill::OFF },
        limit: key
            .events_per_minute
            .map(|most| most.to_string())
            .unwrap_or_default(),
        made: DisplayTime::at(key.created_at, page.now()),
    }
}

fn numbers(written: &Written, failures: &ValidationFailures) -> Vec<Number> {
    let fields = NUMBERS.iter().zip(&written.numbers);
    fields
        .map(|((name, label, hint), value)| Number {
            name,
            label,
            hint,
            value: value.clone(),
            wrong: sentences("It", failures.of(name)),
        })
        .collect()
}

fn flags(written: &Written) -> Vec<Flag> {
    let fields = FLAGS.iter().zip(written.flags);
    fields
        .map(|((name, label), is_ticked)| Flag {
            name,
            label,
            is_ticked,
        })
        .collect()
}

fn names(written: &Written) -> Vec<Names> {
    let fields = NAMES.iter().zip(&written.names);
    fields
        .map(|((name, label, hint), value)| Names {
            name,
            label,
            hint,
            value: value.clone(),
        })
        .collect()
}
