//! `/api/v4/projects/:id/error_tracking/settings` (`ERR-01`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use error_tracking::flow::settings::{SettingsChange, SettingsRefusal, WithoutSettings, not_found};
use error_tracking::model::{Options, Settings};
use error_tracking::scrub::ScrubSettings;
use error_tracking::wire::{OptionsJson, SettingsJson};
use gatehouse_core::flows::error_tracking::change;
use web_conventions::failure::Failure;
use web_conventions::operations::{Answer, Kind, Operation, Parameter, get, patch, put};

use super::TAG;
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, Read, Write};

const SETTINGS: &str = "/api/v4/projects/{id}/error_tracking/settings";
const OPTIONS: &str = "/api/v4/projects/{id}/error_tracking/options";

const ACTIVE: Parameter = Parameter::body("active", Kind::Boolean, "Whether error tracking is on.");
const INTEGRATED: Parameter = Parameter::body(
    "integrated",
    Kind::Boolean,
    "Whether errors are collected here, and not read from another tracker.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let json = || Answer::json::<SettingsJson>(200, "The settings.");
    vec![
        get("showErrorTrackingSettings", SETTINGS, show)
            .documented(TAG, "Show the settings of error tracking")
            .takes([PROJECT])
            .answers(json()),
        put("replaceErrorTrackingSettings", SETTINGS, replace)
            .documented(
                TAG,
                "Switch error tracking on or off, and make its settings where there are none",
            )
            .takes([PROJECT, ACTIVE.required(), INTEGRATED.required()])
            .answers(json()),
        patch("updateErrorTrackingSettings", SETTINGS, update)
            .documented(
                TAG,
                "Switch error tracking on or off, where it has settings",
            )
            .takes([PROJECT, ACTIVE.required(), INTEGRATED])
            .answers(json()),
        get("showErrorTrackingOptions", OPTIONS, show_options)
            .documented(TAG, "Show what is taken, scrubbed and kept of errors")
            .takes([PROJECT])
            .answers(Answer::json::<OptionsJson>(200, "The options.")),
        patch("updateErrorTrackingOptions", OPTIONS, update_options)
            .documented(TAG, "Change what is taken, scrubbed and kept of errors")
            .takes([PROJECT])
            .takes(option_parameters())
            .answers(Answer::json::<OptionsJson>(
                200,
                "The options as they are now.",
            )),
    ]
}

fn option_parameters() -> [Parameter; 10] {
    const NUMBER: Kind = Kind::Integer {
        min: 1,
        max: 1_000_000,
    };
    let number = |name, about| Parameter::body(name, NUMBER, about);
    let flag = |name, about| Parameter::body(name, Kind::Boolean, about);
    let names = |name, about| Parameter::body(name, Kind::Texts, about);
    [
        number(
            "events_per_minute",
            "Events in a minute that are taken of the whole project.",
        ),
        number(
            "error_events_per_minute",
            "Events in a minute that are taken of one error; null for half of the project's. More are counted and not stored.",
        ),
        Parameter::body(
            "events_per_day",
            Kind::Integer {
                min: 0,
                max: 1_000_000_000,
            },
            "Events that are stored in a day; null for any number.",
        ),
        Parameter::body(
            "events_per_error",
            Kind::Integer {
                min: 20,
                max: 100_000,
            },
            "Events of one error that are kept: the first, the latest, and a sample of those between.",
        ),
        Parameter::body(
            "retention_days",
            Kind::Integer { min: 1, max: 3650 },
            "Days that events are kept. Counters stay.",
        ),
        flag(
            "opens_alerts",
            "Whether an error that is new, or back, opens an alert.",
        ),
        flag(
            "scrub_defaults",
            "Whether passwords, tokens, card numbers and cookies are taken out.",
        ),
        flag(
            "scrub_ip_addresses",
            "Whether the addresses of users are taken out.",
        ),
        names(
            "sensitive_fields",
            "Names of further fields whose values are taken out.",
        ),
        names(
            "safe_fields",
            "Names of fields whose values are never taken out by their name.",
        ),
    ]
}

async fn show(asked: InProject<Maintainer, Read>) -> Result<HttpResponse, Failure> {
    let found = asked.read(|tx, project| Ok(tx.find_error_settings(project.id)?));
    let (settings, _) = found.await?;
    answer(&asked, &settings.ok_or_else(not_found)?)
}

async fn replace(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let [active, integrated] = [ACTIVE.name, INTEGRATED.name].map(|name| read.boolean(name));
    read.demand(&[ACTIVE.name, INTEGRATED.name]);
    read.finish()?;
    let switched = SettingsChange {
        active,
        integrated,
        ..SettingsChange::default()
    };
    save(asked, switched, WithoutSettings::Create).await
}

async fn update(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let active = read.boolean(ACTIVE.name);
    let integrated = read.boolean(INTEGRATED.name);
    read.demand(&[ACTIVE.name]);
    read.finish()?;
    let switched = SettingsChange {
        active,
        integrated,
        ..SettingsChange::default()
    };
    save(asked, switched, WithoutSettings::Refuse).await
}

async fn save(
    asked: InProject<Maintainer, Write>,
    wanted: SettingsChange,
    without: WithoutSettings,
) -> Result<HttpResponse, Failure> {
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), asked.by());
    let saved = asked.write(move |tx, project| {
        change(tx, project.id, &wanted, without, random, by).map_err(refused)
    });
    let (settings, _) = saved.await?;
    answer(&asked, &settings)
}

fn answer(asked: &ApiRequest, settings: &Settings) -> Result<HttpResponse, Failure> {
    let word = &asked.settings().naming.tracker;
    asked.json(&SettingsJson::new(settings, word))
}

/// Response to a refused change.
pub(super) fn refused(refusal: SettingsRefusal) -> Failure {
    match refusal {
        SettingsRefusal::Invalid(failures) => ApiError::validation(&failures).into(),
        SettingsRefusal::Store(error) => error.into(),
        _ => not_found().into(),
    }
}

async fn show_options(asked: InProject<Maintainer, Read>) -> Result<HttpResponse, Failure> {
    let found = asked.read(|tx, project| Ok(tx.find_error_settings(project.id)?));
    let (settings, _) = found.await?;
    let settings = settings.ok_or_else(not_found)?;
    asked.json(&OptionsJson::from(settings.options))
}

async fn update_options(asked: InProject<Maintainer, Write>) -> Result<HttpResponse, Failure> {
    let edit = OptionsEdit::read(asked.params())?;
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), asked.by());
    let saved = asked.write(move |tx, project| {
        let before = tx.find_error_settings(project.id)?.ok_or_else(not_found)?;
        let wanted = SettingsChange {
            options: Some(edit.apply(before.options)),
            ..SettingsChange::default()
        };
        let refuse = WithoutSettings::Refuse;
        change(tx, project.id, &wanted, refuse, random, by).map_err(refused)
    });
    let (settings, _) = saved.await?;
    asked.json(&OptionsJson::from(settings.options))
}

/// Options that a request sets.
#[derive(Debug, Clone)]
struct OptionsEdit {
    events_per_minute: Option<u32>,
    #[expect(
        clippy::option_option,
        reason = "a limit that is cleared is something else than one that is not named"
    )]
    error_events_per_minute: Option<Option<u32>>,
    #[expect(
        clippy::option_option,
        reason = "a quota that is taken away is something else than one that is not named"
    )]
    events_per_day: Option<Option<u64>>,
    events_per_error: Option<u32>,
    retention_days: Option<u16>,
    opens_alerts: Option<bool>,
    scrub_defaults: Option<bool>,
    scrub_ip_addresses: Option<bool>,
    sensitive_fields: Option<Vec<String>>,
    safe_fields: Option<Vec<String>>,
}

impl OptionsEdit {
    fn read(params: &Params) -> Result<Self, ApiError> {
        let mut read = params.reader();
        let number = |number: Option<i64>| number.map(|n| u32::try_from(n).unwrap_or_default());
        let day = |number: i64| u16::try_from(number).unwrap_or_default();
        let is_given = |name: &str| params.reader().is_given(name);
        let edit = Self {
            events_per_minute: number(read.integer_within("events_per_minute", 1..=1_000_000)),
            error_events_per_minute: {
                let most = read.clearable_integer("error_events_per_minute", 1..=1_000_000);
                most.map(|most| most.and_then(|most| u32::try_from(most).ok()))
            },
            events_per_day: {
                let most = read.clearable_integer("events_per_day", 0..=1_000_000_000);
                most.map(|most| most.and_then(|most| u64::try_from(most).ok()))
            },
            events_per_error: number(read.integer_within("events_per_error", 20..=100_000)),
            retention_days: read.integer_within("retention_days", 1..=3650).map(day),
            opens_alerts: read.boolean("opens_alerts"),
            scrub_defaults: read.boolean("scrub_defaults"),
            scrub_ip_addresses: read.boolean("scrub_ip_addresses"),
            sensitive_fields: is_given("sensitive_fields").then(|| read.texts("sensitive_fields")),
            safe_fields: is_given("safe_fields").then(|| read.texts("safe_fields")),
        };
        let all: Vec<&'static str> = option_parameters().iter().map(|one| one.name).collect();
        read.demand_one_of(&all);
        read.finish()?;
        Ok(edit)
    }

    fn apply(&self, before: Options) -> Options {
        let scrubbing = before.scrubbing;
        Options {
            events_per_minute: self.events_per_minute.unwrap_or(before.events_per_minute),
            error_events_per_minute: self
                .error_events_per_minute
                .unwrap_or(before.error_events_per_minute),
            events_per_day: self.events_per_day.unwrap_or(before.events_per_day),
            events_per_error: self.events_per_error.unwrap_or(before.events_per_error),
            retention_days: self.retention_days.unwrap_or(before.retention_days),
            opens_alerts: self.opens_alerts.unwrap_or(before.opens_alerts),
            scrubbing: ScrubSettings {
                has_defaults: self.scrub_defaults.unwrap_or(scrubbing.has_defaults),
                hides_addresses: self.scrub_ip_addresses.unwrap_or(scrubbing.hides_addresses),
                sensitive: self.sensitive_fields.clone().unwrap_or(scrubbing.sensitive),
                safe: self.safe_fields.clone().unwrap_or(scrubbing.safe),
            },
        }
    }
}
