//! `/api/v4/projects/:id/error_tracking/settings` (`ERR-01`).

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::params::Params;
use error_tracking::flow::settings::{
    OnMissingSettings, SettingsChange, SettingsRefusal, not_found,
};
use error_tracking::model::{Options, Settings};
use error_tracking::scrub::ScrubSettings;
use error_tracking::wire::{OptionsJson, SettingsJson};
use gatehouse_core::flows::error_tracking::change;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Operation, Parameter, ParameterKind, ResponseSpec, get, patch, put,
};

use super::TAG;
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const SETTINGS: &str = "/api/v4/projects/{id}/error_tracking/settings";
const OPTIONS: &str = "/api/v4/projects/{id}/error_tracking/options";

const ACTIVE: Parameter = Parameter::body(
    "active",
    ParameterKind::Boolean,
    "True to turn error tracking on.",
);
const INTEGRATED: Parameter = Parameter::body(
    "integrated",
    ParameterKind::Boolean,
    "True to collect errors on this server, false to read them from an external tracker.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let json = || ResponseSpec::json::<SettingsJson>(200, "The settings.");
    vec![
        get("showErrorTrackingSettings", SETTINGS, show)
            .documented(TAG, "Get the error tracking settings")
            .takes([PROJECT])
            .response(json()),
        put("replaceErrorTrackingSettings", SETTINGS, replace)
            .documented(TAG, "Create or update the error tracking settings")
            .takes([PROJECT, ACTIVE.required(), INTEGRATED.required()])
            .response(json()),
        patch("updateErrorTrackingSettings", SETTINGS, update)
            .documented(TAG, "Update existing error tracking settings")
            .takes([PROJECT, ACTIVE.required(), INTEGRATED])
            .response(json()),
        get("showErrorTrackingOptions", OPTIONS, show_options)
            .documented(
                TAG,
                "Get the limits, data scrubbing and retention of error tracking",
            )
            .takes([PROJECT])
            .response(ResponseSpec::json::<OptionsJson>(200, "The options.")),
        patch("updateErrorTrackingOptions", OPTIONS, update_options)
            .documented(
                TAG,
                "Update the limits, data scrubbing and retention of error tracking",
            )
            .takes([PROJECT])
            .takes(option_parameters())
            .response(ResponseSpec::json::<OptionsJson>(
                200,
                "The updated options.",
            )),
    ]
}

fn option_parameters() -> [Parameter; 10] {
    const NUMBER: ParameterKind = ParameterKind::Integer {
        min: 1,
        max: 1_000_000,
    };
    let number = |name, about| Parameter::body(name, NUMBER, about);
    let flag = |name, about| Parameter::body(name, ParameterKind::Boolean, about);
    let names = |name, about| Parameter::body(name, ParameterKind::Texts, about);
    [
        number(
            "events_per_minute",
            "Events accepted per minute for the whole project.",
        ),
        number(
            "error_events_per_minute",
            "Events stored per minute for one error; null for half of the project limit. Further events are counted but not stored.",
        ),
        Parameter::body(
            "events_per_day",
            ParameterKind::Integer {
                min: 0,
                max: 1_000_000_000,
            },
            "Events stored per day; null for no limit.",
        ),
        Parameter::body(
            "events_per_error",
            ParameterKind::Integer {
                min: 20,
                max: 100_000,
            },
            "Events kept per error: the first, the latest, and a sample of those in between.",
        ),
        Parameter::body(
            "retention_days",
            ParameterKind::Integer { min: 1, max: 3650 },
            "Days for which events are kept. Counts are kept after that.",
        ),
        flag(
            "opens_alerts",
            "True to open an alert for each new or regressed error.",
        ),
        flag(
            "scrub_defaults",
            "True to scrub passwords, tokens, card numbers and cookies.",
        ),
        flag("scrub_ip_addresses", "True to scrub IP addresses of users."),
        names("sensitive_fields", "Names of additional fields to scrub."),
        names(
            "safe_fields",
            "Names of fields that are never scrubbed because of their name.",
        ),
    ]
}

async fn show(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let found = request.read(|tx, project| Ok(tx.find_error_settings(project.id)?));
    let (settings, _) = found.await?;
    answer(&request, &settings.ok_or_else(not_found)?)
}

async fn replace(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let [active, integrated] = [ACTIVE.name, INTEGRATED.name].map(|name| read.boolean(name));
    read.demand(&[ACTIVE.name, INTEGRATED.name]);
    read.finish()?;
    let switched = SettingsChange {
        active,
        integrated,
        ..SettingsChange::default()
    };
    save(request, switched, OnMissingSettings::Create).await
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let active = read.boolean(ACTIVE.name);
    let integrated = read.boolean(INTEGRATED.name);
    read.demand(&[ACTIVE.name]);
    read.finish()?;
    let switched = SettingsChange {
        active,
        integrated,
        ..SettingsChange::default()
    };
    save(request, switched, OnMissingSettings::Refuse).await
}

async fn save(
    request: InProject<Maintainer, WriteApi>,
    settings_change: SettingsChange,
    without: OnMissingSettings,
) -> Result<HttpResponse, Failure> {
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), request.actor());
    let saved = request.write(move |tx, project| {
        change(tx, project.id, &settings_change, without, random, by).map_err(refused)
    });
    let (settings, _) = saved.await?;
    answer(&request, &settings)
}

fn answer(request: &ApiRequest, settings: &Settings) -> Result<HttpResponse, Failure> {
    let word = &request.settings().naming.tracker;
    request.json(&SettingsJson::new(settings, word))
}

/// Response to a refused change.
pub(super) fn refused(refusal: SettingsRefusal) -> Failure {
    match refusal {
        SettingsRefusal::Invalid(failures) => ApiError::validation(&failures).into(),
        SettingsRefusal::Store(error) => error.into(),
        _ => not_found().into(),
    }
}

async fn show_options(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let found = request.read(|tx, project| Ok(tx.find_error_settings(project.id)?));
    let (settings, _) = found.await?;
    let settings = settings.ok_or_else(not_found)?;
    request.json(&OptionsJson::from(settings.options))
}

async fn update_options(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let edit = OptionsEdit::read(request.params())?;
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), request.actor());
    let saved = request.write(move |tx, project| {
        let before = tx.find_error_settings(project.id)?.ok_or_else(not_found)?;
        let settings_change = SettingsChange {
            options: Some(edit.apply(before.options)),
            ..SettingsChange::default()
        };
        let refuse = OnMissingSettings::Refuse;
        change(tx, project.id, &settings_change, refuse, random, by).map_err(refused)
    });
    let (settings, _) = saved.await?;
    request.json(&OptionsJson::from(settings.options))
}

/// Options that a request sets.
#[derive(Debug, Clone)]
struct OptionsEdit {
    events_per_minute: Option<u32>,
    #[expect(
        clippy::option_option,
        reason = "clearing a limit differs from leaving it unchanged"
    )]
    error_events_per_minute: Option<Option<u32>>,
    #[expect(
        clippy::option_option,
        reason = "removing a quota differs from leaving it unchanged"
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
