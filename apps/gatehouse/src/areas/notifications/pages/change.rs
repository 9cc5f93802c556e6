//! Forms that create, change, test and delete notification channels.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use gatehouse_core::flows::channels::{
    ChannelValues, create_channel, delete_channel, rotate_secret, update_channel,
};
use gatehouse_core::flows::hooks::{HookTrigger, test_hook};
use notifications::flow::{ChannelError, ChannelInput, find_channel, test_channel};
use notifications::model::Channel;
use web_conventions::failure::Failure;

use super::super::api::refusal;
use super::super::input::parse_kind;
use super::ChannelManagers;
use super::channel::{self, channel_id};
use super::form::ChannelForm;
use super::list::{self, path_of, path_of_list};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::sentence_case;
use crate::frame::page::notice::Notice;
use crate::frame::page::project::ProjectForm;

/// Creates a channel, and redirects to its page.
pub(super) async fn create(
    form: ProjectForm<ChannelManagers>,
) -> Result<HttpResponse, PageFailure> {
    let kind = parse_kind(form.form.text("kind"));
    let kind = kind.ok_or_else(|| PageFailure::bad_request("Choose the kind of the channel."))?;
    let sent = ChannelForm::read(&form.form);
    let (vault, by, typed) = (Arc::clone(&form.state().vault), form.actor()?, sent.clone());
    let created = form.write(move |tx, found| {
        let values = match typed.values(kind) {
            Ok(values) => values,
            Err(problem) => return Ok(Err(problem)),
        };
        settled(create_channel(
            tx,
            &vault,
            found.project.id.into(),
            kind,
            &values,
            by,
        ))
    });
    let (created, found): (Result<_, Failure>, _) = created.await?;
    match created? {
        Ok((channel, _)) => {
            Ok(form.redirect_with_notice(&path_of(&found, &channel), Notice::ChannelCreated))
        }
        Err(problem) => {
            let sent = sent.refused(problem);
            list::respond(&form, StatusCode::UNPROCESSABLE_ENTITY, Some(kind), sent).await
        }
    }
}

/// Changes, tests, turns on or off, or deletes a channel.
pub(super) async fn change(
    form: ProjectForm<ChannelManagers>,
) -> Result<HttpResponse, PageFailure> {
    match form.form.text("event") {
        "settings" => set(&form).await,
        "enable" => switch(&form, true).await,
        "disable" => switch(&form, false).await,
        "test" => test(&form).await,
        "rotate" => rotate(&form).await,
        "delete" => delete(&form).await,
        _ => Err(PageFailure::bad_request(
            "Choose what to do with the channel.",
        )),
    }
}

async fn set(form: &ProjectForm<ChannelManagers>) -> Result<HttpResponse, PageFailure> {
    let id = channel_id(form)?;
    let sent = ChannelForm::read(&form.form);
    let (vault, by, typed) = (Arc::clone(&form.state().vault), form.actor()?, sent.clone());
    let changed = form.write(move |tx, found| {
        let project = found.project.id.into();
        let kind = find_channel(tx, project, id).map_err(refusal)?.kind;
        let values = match typed.values(kind) {
            Ok(values) => values,
            Err(problem) => return Ok(Err(problem)),
        };
        settled(update_channel(tx, &vault, (project, id), &values, by))
    });
    let (changed, found): (Result<_, Failure>, _) = changed.await?;
    match changed.map_err(|failure| form.sign_in_if_hidden(failure.into()))? {
        Ok(channel) => {
            Ok(form.redirect_with_notice(&path_of(&found, &channel), Notice::ChannelChanged))
        }
        Err(problem) => {
            let sent = sent.refused(problem);
            channel::respond(form, StatusCode::UNPROCESSABLE_ENTITY, Some(sent)).await
        }
    }
}

async fn switch(
    form: &ProjectForm<ChannelManagers>,
    active: bool,
) -> Result<HttpResponse, PageFailure> {
    let (id, vault, by) = (
        channel_id(form)?,
        Arc::clone(&form.state().vault),
        form.actor()?,
    );
    let values = ChannelValues {
        input: ChannelInput {
            active: Some(active),
            ..ChannelInput::default()
        },
        token: None,
    };
    let notice = if active {
        Notice::ChannelEnabled
    } else {
        Notice::ChannelDisabled
    };
    let switched = form.write(move |tx, found| {
        let place = (found.project.id.into(), id);
        update_channel(tx, &vault, place, &values, by).map_err(refusal)
    });
    let (channel, found) = switched.await?;
    redirect(form, channel, |channel| path_of(&found, channel), notice)
}

async fn test(form: &ProjectForm<ChannelManagers>) -> Result<HttpResponse, PageFailure> {
    let (id, now, by) = (channel_id(form)?, form.now(), form.actor()?);
    let trigger = HookTrigger::parse(form.form.text("trigger"));
    let written = form.write(move |tx, found| {
        let project = found.project.id;
        let channel = find_channel(tx, project.into(), id).map_err(refusal)?;
        let tested = match trigger {
            Some(trigger) => test_hook(tx, (project, id), trigger, by).map(drop),
            None => test_channel(tx, project.into(), id, now),
        };
        let tested = settled(tested)?;
        Ok::<_, Failure>(
            tested
                .map_err(|problem| ChannelForm::of(&channel).refused(problem))
                .map(|()| channel),
        )
    });
    let (tested, found) = written.await?;
    match tested.map_err(|failure| form.sign_in_if_hidden(failure.into()))? {
        Ok(channel) => {
            Ok(form.redirect_with_notice(&path_of(&found, &channel), Notice::ChannelTested))
        }
        Err(refused) => {
            channel::respond(form, StatusCode::UNPROCESSABLE_ENTITY, Some(refused)).await
        }
    }
}

async fn rotate(form: &ProjectForm<ChannelManagers>) -> Result<HttpResponse, PageFailure> {
    let (id, vault, by) = (
        channel_id(form)?,
        Arc::clone(&form.state().vault),
        form.actor()?,
    );
    let rotated = form.write(move |tx, found| {
        let place = (found.project.id.into(), id);
        let rotated = rotate_secret(tx, &vault, place, by).map_err(refusal);
        rotated.map(|(channel, _)| channel)
    });
    let (channel, found) = rotated.await?;
    let notice = Notice::ChannelSecretRotated;
    redirect(form, channel, |channel| path_of(&found, channel), notice)
}

async fn delete(form: &ProjectForm<ChannelManagers>) -> Result<HttpResponse, PageFailure> {
    let (id, by) = (channel_id(form)?, form.actor()?);
    let deleted = form.write(move |tx, found| {
        delete_channel(tx, (found.project.id.into(), id), by).map_err(refusal)
    });
    let (channel, found) = deleted.await?;
    let notice = Notice::ChannelDeleted;
    redirect(form, channel, |_| path_of_list(&found), notice)
}

/// Redirects after a change of a channel.
fn redirect(
    form: &ProjectForm<ChannelManagers>,
    channel: Result<Channel, Failure>,
    path: impl FnOnce(&Channel) -> String,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let channel = channel.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path(&channel), notice))
}

/// Separates refusals, as sentences for the form, from failures.
pub(in crate::areas::notifications) fn settled<T>(
    outcome: Result<T, ChannelError>,
) -> Result<Result<T, String>, Failure> {
    match outcome {
        Ok(done) => Ok(Ok(done)),
        Err(error @ (ChannelError::Store(_) | ChannelError::NotFound)) => Err(refusal(error)),
        Err(error) => Ok(Err(format!("{}.", sentence_case(&error.to_string())))),
    }
}
