//! Form actions on the error tracking settings.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::ClientKeyId;
use error_tracking::flow::settings::{OnMissingSettings, SettingsChange, SettingsRefusal};
use error_tracking::model::{ClientKeyChange, Options};
use error_tracking::scrub::ScrubSettings;
use gatehouse_core::flows::error_tracking::{
    add_key, change as change_settings, change_key, delete_key,
};
use web_conventions::failure::Failure;

use super::super::settings::refused;
use super::settings::{
    ErrorSettingsManagers, FLAGS, NAMES, NUMBERS, OptionValues, SubmittedErrorSettings, answer,
    path_of,
};
use super::tracker_form;
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::ProjectForm;

pub(super) type SettingsForm = ProjectForm<ErrorSettingsManagers>;

/// Message above a refused form.
pub(super) const NOTHING_SAVED: &str = "Settings not saved. Fix the errors below.";

/// Maximum number of field names in a list, and the maximum length of a name in bytes.
const MAX_NAMES: usize = 200;
const MAX_NAME_BYTES: usize = 200;

/// Turns error tracking on or off, changes its options, or creates, changes and deletes a client key.
pub(super) async fn change(form: SettingsForm) -> Result<HttpResponse, PageFailure> {
    let fields = &form.form;
    match fields.text("event") {
        "switch_on" => switch(&form, true).await,
        "switch_off" => switch(&form, false).await,
        "save" => save(&form).await,
        "add_key" => add(&form).await,
        "key_on" => alter(&form, ClientKeyChange::Active(true), Notice::ClientKeySaved).await,
        "key_off" => {
            alter(
                &form,
                ClientKeyChange::Active(false),
                Notice::ClientKeySaved,
            )
            .await
        }
        "key_limit" => limit(&form).await,
        "key_delete" => remove(&form).await,
        "tracker_projects" => tracker_form::list_projects(&form).await,
        "tracker_save" => tracker_form::save(&form).await,
        _ => Err(PageFailure::bad_request(
            "The form has no known action. Reload the page and try again.",
        )),
    }
}

/// Turns the collection of errors on this server on or off.
/// The first time creates the settings and a key.
async fn switch(form: &SettingsForm, is_on: bool) -> Result<HttpResponse, PageFailure> {
    let edit = SettingsChange {
        active: Some(is_on),
        integrated: is_on.then_some(true),
        ..SettingsChange::default()
    };
    let notice = if is_on {
        Notice::ErrorTrackingOn
    } else {
        Notice::ErrorTrackingOff
    };
    let without = if is_on {
        OnMissingSettings::Create
    } else {
        OnMissingSettings::Refuse
    };
    put(form, edit, without, notice, None).await
}

async fn save(form: &SettingsForm) -> Result<HttpResponse, PageFailure> {
    let values = read_values(&form.form);
    match options(&values) {
        Ok(options) => {
            let edit = SettingsChange {
                options: Some(options),
                ..SettingsChange::default()
            };
            let (without, notice) = (OnMissingSettings::Refuse, Notice::ErrorOptionsSaved);
            put(form, edit, without, notice, Some(values)).await
        }
        Err(failures) => refuse(form, values, failures).await,
    }
}

async fn put(
    form: &SettingsForm,
    edit: SettingsChange,
    without: OnMissingSettings,
    notice: Notice,
    values: Option<OptionValues>,
) -> Result<HttpResponse, PageFailure> {
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), form.actor()?);
    let saved = form
        .write(move |tx, found| change_settings(tx, found.project.id, &edit, without, random, by));
    match (saved.await?, values) {
        ((Ok(_), found), _) => Ok(form.redirect_with_notice(&path_of(&found), notice)),
        ((Err(SettingsRefusal::Invalid(failures)), _), Some(values)) => {
            refuse(form, values, failures).await
        }
        ((Err(refusal), _), _) => Err(form.sign_in_if_hidden(refused(refusal).into())),
    }
}

async fn refuse(
    form: &SettingsForm,
    values: OptionValues,
    failures: ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let submitted = SubmittedErrorSettings {
        values: Some((values, failures)),
        problem: Some(NOTHING_SAVED.to_owned()),
        ..SubmittedErrorSettings::default()
    };
    answer(form, StatusCode::UNPROCESSABLE_ENTITY, submitted).await
}

fn read_values(form: &PageForm) -> OptionValues {
    let text = |name: &str| form.text(name).trim().to_owned();
    OptionValues {
        numbers: NUMBERS.map(|(name, ..)| text(name)),
        flags: FLAGS.map(|(name, _)| form.is_ticked(name)),
        names: NAMES.map(|(name, ..)| text(name).replace("\r\n", "\n")),
    }
}

/// Parses the entered options.
/// The domain checks the ranges.
fn options(values: &OptionValues) -> Result<Options, ValidationFailures> {
    let mut failures = ValidationFailures::default();
    let [per_minute, of_error, per_day, per_error, days] = &values.numbers;
    let mut number = |name: &str, text: &str| {
        let read = text.parse::<u32>();
        if read.is_err() {
            failures.add(name, "must be a whole number");
        }
        read.unwrap_or_default()
    };
    let [opens_alerts, has_defaults, hides_addresses] = values.flags;
    let [sensitive, safe] = &values.names;
    let events_per_day = (!per_day.is_empty()).then(|| number("events_per_day", per_day).into());
    let error_events_per_minute =
        (!of_error.is_empty()).then(|| number("error_events_per_minute", of_error));
    let options = Options {
        events_per_minute: number("events_per_minute", per_minute),
        error_events_per_minute,
        events_per_error: number("events_per_error", per_error),
        retention_days: u16::try_from(number("retention_days", days)).unwrap_or(u16::MAX),
        events_per_day,
        opens_alerts,
        scrubbing: ScrubSettings {
            has_defaults,
            hides_addresses,
            sensitive: lines(sensitive),
            safe: lines(safe),
        },
    };
    if failures.is_empty() {
        Ok(options)
    } else {
        Err(failures)
    }
}

/// Splits a text into names, one per line.
fn lines(text: &str) -> Vec<String> {
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    let names = names.filter(|name| name.len() <= MAX_NAME_BYTES);
    names.take(MAX_NAMES).map(str::to_owned).collect()
}

async fn add(form: &SettingsForm) -> Result<HttpResponse, PageFailure> {
    let (random, by) = (uuid::Uuid::new_v4().into_bytes(), form.actor()?);
    let created = form
        .write(move |tx, found| add_key(tx, found.project.id, random, by).map_err(Failure::from));
    let (created, found) = created.await?;
    created.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of(&found), Notice::ClientKeyCreated))
}

async fn limit(form: &SettingsForm) -> Result<HttpResponse, PageFailure> {
    let text = form.form.text("events_per_minute").trim();
    let most = match text {
        "" => Ok(None),
        text => text.parse().map(Some),
    };
    match most {
        Ok(most) if most.is_none_or(|most| (1..=Options::MAX_PER_MINUTE).contains(&most)) => {
            let limit = ClientKeyChange::EventsPerMinute(most);
            alter(form, limit, Notice::ClientKeySaved).await
        }
        _ => {
            let text = "Enter a whole number from 1 to 1,000,000 as the limit of the key, or leave it empty.";
            let submitted = SubmittedErrorSettings {
                problem: Some(text.to_owned()),
                ..SubmittedErrorSettings::default()
            };
            answer(form, StatusCode::UNPROCESSABLE_ENTITY, submitted).await
        }
    }
}

fn key_id(form: &SettingsForm) -> Result<ClientKeyId, PageFailure> {
    let id = form.form.text("key").parse().map(ClientKeyId::new);
    id.map_err(|_| {
        PageFailure::bad_request("The form has no valid key. Reload the page and try again.")
    })
}

fn unknown() -> Failure {
    ApiError::not_found("Client Key").into()
}

async fn alter(
    form: &SettingsForm,
    change: ClientKeyChange,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (key_id(form)?, form.actor()?);
    let changed = form.write(move |tx, found| {
        change_key(tx, found.project.id, id, change, by)?.ok_or_else(unknown)
    });
    let (changed, found) = changed.await?;
    changed.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of(&found), notice))
}

async fn remove(form: &SettingsForm) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (key_id(form)?, form.actor()?);
    let deleted =
        form.write(move |tx, found| delete_key(tx, found.project.id, id, by)?.ok_or_else(unknown));
    let (deleted, found) = deleted.await?;
    deleted.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of(&found), Notice::ClientKeyDeleted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_numbers_are_reported_at_their_field() {
        let mut values = OptionValues::of(&Options::default());
        assert_eq!(options(&values), Ok(Options::default()));
        values.numbers[3] = "many".to_owned();
        let failures = options(&values).unwrap_err();
        assert_eq!(failures.of("events_per_error"), ["must be a whole number"]);
        assert!(failures.of("retention_days").is_empty());
    }

    #[test]
    fn names_are_read_one_per_line_up_to_a_limit() {
        assert_eq!(lines(" pin \n\nvat_id\n"), ["pin", "vat_id"]);
        assert_eq!(lines(&"x\n".repeat(500)).len(), MAX_NAMES);
    }
}
