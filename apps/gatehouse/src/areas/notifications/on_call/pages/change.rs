//! Forms that create, change and delete on-call schedules and their overrides.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::ids::OverrideId;
use gatehouse_core::flows::on_call::{
    create_override, create_schedule, delete_override, delete_schedule, update_schedule,
};
use notifications::flow::{ScheduleError, ScheduleInput, find_schedule};
use web_conventions::failure::Failure;

use super::super::refusal;
use super::form::{OverrideForm, ScheduleForm};
use super::list::{self, path_of, path_of_list};
use super::schedule::{self, RefusedForms, schedule_id};
use super::{ScheduleManagers, ScheduleViewers};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::sentence_case;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::ProjectForm;

/// Creates a schedule, and redirects to its page.
pub(super) async fn create(
    form: ProjectForm<ScheduleManagers>,
) -> Result<HttpResponse, PageFailure> {
    let (sent, by) = (ScheduleForm::read(&form.form), form.actor()?);
    let typed = sent.clone();
    let created = form.write(move |tx, found| match typed.settings(tx)? {
        Ok(settings) => settled(create_schedule(tx, found.project.id, settings, by)),
        Err(problem) => Ok(Err(problem)),
    });
    let (created, found): (Result<_, Failure>, _) = created.await?;
    match created? {
        Ok(created) => {
            let path = path_of(&found, &created);
            Ok(form.redirect_with_notice(&path, Notice::ScheduleCreated))
        }
        Err(problem) => {
            let sent = sent.refused(problem);
            list::respond(&form, StatusCode::UNPROCESSABLE_ENTITY, sent).await
        }
    }
}

/// Changes or deletes a schedule.
pub(super) async fn change(
    form: ProjectForm<ScheduleManagers>,
) -> Result<HttpResponse, PageFailure> {
    match form.form.text("event") {
        "settings" => set(&form).await,
        "delete" => delete(&form).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the schedule.",
        )),
    }
}

async fn set(form: &ProjectForm<ScheduleManagers>) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (schedule_id(form)?, form.actor()?);
    let sent = ScheduleForm::read(&form.form);
    let typed = sent.clone();
    let changed = form.write(move |tx, found| match typed.settings(tx)? {
        Ok(settings) => {
            let input = ScheduleInput::from(settings);
            settled(update_schedule(tx, (found.project.id, id), &input, by))
        }
        Err(problem) => Ok(Err(problem)),
    });
    let (changed, found): (Result<_, Failure>, _) = changed.await?;
    match changed.map_err(|failure| form.sign_in_if_hidden(failure.into()))? {
        Ok(changed) => {
            let path = path_of(&found, &changed);
            Ok(form.redirect_with_notice(&path, Notice::ScheduleChanged))
        }
        Err(problem) => {
            let forms = RefusedForms {
                settings: Some(sent.refused(problem)),
                ..RefusedForms::default()
            };
            schedule::respond(form, StatusCode::UNPROCESSABLE_ENTITY, forms).await
        }
    }
}

async fn delete(form: &ProjectForm<ScheduleManagers>) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (schedule_id(form)?, form.actor()?);
    let deleted = form
        .write(move |tx, found| delete_schedule(tx, (found.project.id, id), by).map_err(refusal));
    let (deleted, found) = deleted.await?;
    deleted.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of_list(&found), Notice::ScheduleDeleted))
}

/// Creates or deletes an override.
pub(super) async fn change_overrides(
    form: ProjectForm<ScheduleViewers>,
) -> Result<HttpResponse, PageFailure> {
    match form.form.text("event") {
        "add" => add(&form).await,
        "remove" => remove(&form).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the override.",
        )),
    }
}

async fn add(form: &ProjectForm<ScheduleViewers>) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (schedule_id(form)?, form.actor()?);
    let sent = OverrideForm::read(&form.form);
    let typed = sent.clone();
    let added = form.write(move |tx, found| {
        let project = found.project.id;
        let schedule = find_schedule(tx, project, id).map_err(refusal)?;
        match typed.values(tx, &schedule.settings, by.now)? {
            Ok(values) => {
                let created = create_override(tx, (project, id), values, by);
                settled(created.map(|_| schedule))
            }
            Err(problem) => Ok(Err(problem)),
        }
    });
    let (added, found): (Result<_, Failure>, _) = added.await?;
    match added.map_err(|failure| form.sign_in_if_hidden(failure.into()))? {
        Ok(schedule) => {
            let path = path_of(&found, &schedule);
            Ok(form.redirect_with_notice(&path, Notice::OverrideCreated))
        }
        Err(problem) => {
            let forms = RefusedForms {
                of_override: sent.refused(problem),
                ..RefusedForms::default()
            };
            schedule::respond(form, StatusCode::UNPROCESSABLE_ENTITY, forms).await
        }
    }
}

async fn remove(form: &ProjectForm<ScheduleViewers>) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (schedule_id(form)?, form.actor()?);
    let chosen = form.form.text("override").parse::<i64>().ok();
    let chosen = chosen.ok_or_else(|| PageFailure::bad_request("Choose an override."))?;
    let removed = form.write(move |tx, found| {
        let place = (found.project.id, id);
        let schedule = find_schedule(tx, place.0, id).map_err(refusal)?;
        delete_override(tx, place, OverrideId::new(chosen), by).map_err(refusal)?;
        Ok::<_, Failure>(schedule)
    });
    let (removed, found) = removed.await?;
    let schedule = removed.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of(&found, &schedule), Notice::OverrideDeleted))
}

/// Separates refusals, as sentences for the form, from failures.
fn settled<T>(outcome: Result<T, ScheduleError>) -> Result<Result<T, String>, Failure> {
    match outcome {
        Ok(done) => Ok(Ok(done)),
        Err(
            error @ (ScheduleError::Store(_) | ScheduleError::NotFound | ScheduleError::NoOverride),
        ) => Err(refusal(error)),
        Err(error) => Ok(Err(format!("{}.", sentence_case(&error.to_string())))),
    }
}
