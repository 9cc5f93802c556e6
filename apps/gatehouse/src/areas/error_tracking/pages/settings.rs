//! Error tracking settings of a project: on or off, client keys, rate limits, filters and retention.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::page::OffsetPage;
use askama::Template;
use error_tracking::model::{ClientKey, Options, Settings};
use error_tracking::wire::dsn_of;

use super::programs::{SetupSnippet, snippets};
use super::tracker_form::TrackerFields;
use crate::frame::intake_urls::collector_url;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, sentences};
use crate::frame::page::list::Tab;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrNotFound};
use crate::frame::page::settings_tabs;
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;

/// Users who can view and change the settings.
pub(super) type ErrorSettingsManagers = RoleOrNotFound<Maintainer>;

/// Client keys that the page lists.
/// The API lists all of them.
const KEYS: u64 = 50;

/// A client key.
struct ClientKeyRow {
    id: String,
    dsn: String,
    is_on: bool,
    state: Pill,
    limit: String,
    created: DisplayTime,
}

/// Source of the errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ErrorSource {
    /// No settings yet.
    NotSetUp,
    /// Error tracking is off.
    Off,
    /// An external tracker.
    External,
    /// Programs report errors to this server.
    Collects,
}

/// A numeric option.
struct NumberField {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: String,
    wrong: Vec<String>,
}

/// An option with one name per line.
struct NameListField {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    value: String,
}

/// A checkbox option.
struct FlagField {
    name: &'static str,
    label: &'static str,
    is_ticked: bool,
}

/// Option values: the stored ones, or those entered in the form.
#[derive(Debug, Clone, Default)]
pub(super) struct OptionValues {
    pub(super) numbers: [String; 5],
    pub(super) flags: [bool; 3],
    pub(super) names: [String; 2],
}

#[derive(Template)]
#[template(path = "areas/error_tracking/error_settings.html")]
struct ErrorSettingsPage {
    shell: Shell,
    tabs: Vec<Tab>,
    path: String,
    list: String,
    source: ErrorSource,
    state: Pill,
    keys: Vec<ClientKeyRow>,
    has_more_keys: bool,
    snippets: Vec<SetupSnippet>,
    numbers: Vec<NumberField>,
    flags: Vec<FlagField>,
    names: Vec<NameListField>,
    tracker: TrackerFields,
    problem: Option<String>,
}

/// Fields of the options: numbers, checkboxes, lists of names.
pub(super) const NUMBERS: [(&str, &str, &str); 5] = [
    (
        "events_per_minute",
        "Events per minute",
        "Limit for the whole project. Further events are rejected, and SDKs are told how long to wait.",
    ),
    (
        "error_events_per_minute",
        "Events per minute for one error",
        "Further events are counted but not stored, so that one error cannot use up the project limit. Leave empty for half of the project limit.",
    ),
    (
        "events_per_day",
        "Events per day",
        "Further events are counted but not stored. Leave empty for no limit.",
    ),
    (
        "events_per_error",
        "Events kept per error",
        "The first, the latest and a sample of those in between are kept; counts stay exact.",
    ),
    (
        "retention_days",
        "Retention of events, in days",
        "Errors and their counts are kept when their events are deleted.",
    ),
];
pub(super) const FLAGS: [(&str, &str); 3] = [
    (
        "opens_alerts",
        "Open an alert for each new or regressed error",
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
        "Additional fields to filter",
        "Names of fields whose values are removed, one per line.",
    ),
    (
        "safe_fields",
        "Fields that are never filtered by name",
        "Names of fields, one per line.",
    ),
];

impl OptionValues {
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
pub(super) async fn show(
    page: ProjectPage<ErrorSettingsManagers>,
) -> Result<HttpResponse, PageFailure> {
    answer(&page, StatusCode::OK, SubmittedErrorSettings::default()).await
}

/// Submitted values to show again: the fields with their validation failures, and other problems.
#[derive(Default)]
pub(super) struct SubmittedErrorSettings {
    pub(super) values: Option<(OptionValues, ValidationFailures)>,
    pub(super) tracker: Option<TrackerFields>,
    pub(super) problem: Option<String>,
}

/// Answers with the page, and with the submitted values if they need a correction or a next step.
pub(super) async fn answer(
    page: &ProjectPage<ErrorSettingsManagers>,
    status: StatusCode,
    submitted: SubmittedErrorSettings,
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
    let (values, failures) = submitted.values.unwrap_or_else(|| {
        let none = ValidationFailures::default();
        (OptionValues::of(&settings.options), none)
    });
    let first_on = keys.items.iter().find(|key| key.active);
    let collector = collector_url(&page.state().base_url);
    let is_collecting = settings.collects();
    let lines = first_on.filter(|_| is_collecting);
    page.show_with(
        status,
        &ErrorSettingsPage {
            shell: page.shell(&found, Section::Settings, "Error tracking"),
            tabs: settings_tabs::tabs(&found, settings_tabs::SettingsTab::ErrorTracking),
            path: path_of(&found),
            list: format!("{}/-/error_tracking", found.path()),
            source: match stored {
                None => ErrorSource::NotSetUp,
                Some(_) if is_collecting => ErrorSource::Collects,
                Some(_) if settings.active => ErrorSource::External,
                Some(_) => ErrorSource::Off,
            },
            state: if settings.active { Pill::ON } else { Pill::OFF },
            snippets: lines
                .map(|key| snippets(&dsn_of(key, &collector)))
                .unwrap_or_default(),
            keys: keys.items.iter().map(|key| key_row(key, page)).collect(),
            has_more_keys: keys.has_next,
            numbers: numbers(&values, &failures),
            flags: flags(&values),
            names: names(&values),
            tracker: submitted
                .tracker
                .unwrap_or_else(|| TrackerFields::of(&settings)),
            problem: submitted.problem,
        },
    )
}

/// Path of the page, below the root of the server.
pub(super) fn path_of(found: &ProjectContext) -> String {
    format!("{}/-/settings/error_tracking", found.path())
}

fn key_row(key: &ClientKey, page: &ProjectPage<ErrorSettingsManagers>) -> ClientKeyRow {
    ClientKeyRow {
        id: key.id.to_string(),
        dsn: dsn_of(key, &collector_url(&page.state().base_url)),
        is_on: key.active,
        state: if key.active { Pill::ON } else { Pill::OFF },
        limit: key
            .events_per_minute
            .map(|most| most.to_string())
            .unwrap_or_default(),
        created: DisplayTime::at(key.created_at, page.now()),
    }
}

fn numbers(values: &OptionValues, failures: &ValidationFailures) -> Vec<NumberField> {
    let fields = NUMBERS.iter().zip(&values.numbers);
    fields
        .map(|((name, label, hint), value)| NumberField {
            name,
            label,
            hint,
            value: value.clone(),
            wrong: sentences("It", failures.of(name)),
        })
        .collect()
}

fn flags(values: &OptionValues) -> Vec<FlagField> {
    let fields = FLAGS.iter().zip(values.flags);
    fields
        .map(|((name, label), is_ticked)| FlagField {
            name,
            label,
            is_ticked,
        })
        .collect()
}

fn names(values: &OptionValues) -> Vec<NameListField> {
    let fields = NAMES.iter().zip(&values.names);
    fields
        .map(|((name, label, hint), value)| NameListField {
            name,
            label,
            hint,
            value: value.clone(),
        })
        .collect()
}
