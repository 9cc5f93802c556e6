//! `/api/v4/projects/:id/notification_channels`: the notification channels of a project.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::ChannelId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use gatehouse_core::flows::channels::{
    create_channel, delete_channel, rotate_secret, update_channel,
};
use gatehouse_core::flows::groups::Actor;
use notifications::flow::{ChannelError, find_channel, list_channels, test_channel};
use notifications::wire::{ChannelJson, NewChannelJson};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::input::{FIELDS, KIND, NAME, read_new, read_update};
use crate::frame::api::ApiRequest;
use crate::frame::new_token::with_secret;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, WriteApi};

const ALL: &str = "/api/v4/projects/{id}/notification_channels";
const ONE: &str = "/api/v4/projects/{id}/notification_channels/{channel_id}";
const TEST: &str = "/api/v4/projects/{id}/notification_channels/{channel_id}/test";
const ROTATE: &str = "/api/v4/projects/{id}/notification_channels/{channel_id}/rotate";

pub(super) const TAG: &str = "notifications";
const RESOURCE: &str = "Notification Channel";

const ID: Parameter = Parameter::path(
    "channel_id",
    ParameterKind::ID,
    "ID of the notification channel.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let channel = |status, text| ResponseSpec::json::<ChannelJson>(status, text);
    let secret_once = |status| {
        ResponseSpec::json::<NewChannelJson>(
            status,
            "The channel. Of a `webhook`, with the signing secret, which is shown only once.",
        )
    };
    let taken = || ResponseSpec::refusal(409, "Another channel of the project has the name.");
    vec![
        get("listNotificationChannels", ALL, list)
            .documented(TAG, "List the notification channels of a project")
            .takes([PROJECT])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ChannelJson>>(
                200,
                "A page of channels, in the order of their creation.",
            )),
        post("createNotificationChannel", ALL, create)
            .documented(TAG, "Create a notification channel")
            .takes([PROJECT, KIND.required(), NAME.required()])
            .takes(FIELDS)
            .response(secret_once(201))
            .response(taken()),
        get("showNotificationChannel", ONE, show)
            .documented(TAG, "Get a notification channel")
            .takes([PROJECT, ID])
            .response(channel(200, "The channel.")),
        put("updateNotificationChannel", ONE, update)
            .documented(TAG, "Update a notification channel")
            .takes([PROJECT, ID, NAME])
            .takes(FIELDS)
            .response(channel(200, "The updated channel."))
            .response(taken()),
        delete("deleteNotificationChannel", ONE, remove)
            .documented(TAG, "Delete a notification channel")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(
                204,
                "Deleted. Messages that wait are cancelled.",
            )),
        post("testNotificationChannel", TEST, test)
            .documented(TAG, "Send a test message to a notification channel")
            .takes([PROJECT, ID])
            .response(channel(201, "The message waits to be sent.")),
        post("rotateNotificationSecret", ROTATE, rotate)
            .documented(TAG, "Rotate the signing secret of a webhook")
            .takes([PROJECT, ID])
            .response(secret_once(200)),
    ]
}

async fn list(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let found = request.read(|tx, project| Ok(list_channels(tx, project.id.into())?));
    let (channels, _) = found.await?;
    // A project has at most 20 channels, so a page is a part of the whole list.
    let page = Page::of_all(channels, paging);
    request.page(paging, page, ChannelJson::new)
}

async fn create(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (kind, values) = read_new(request.params())?;
    let (vault, by) = (request.vault(), actor(&request));
    let created = request.write(move |tx, project| {
        create_channel(tx, &vault, project.id.into(), kind, &values, by).map_err(refusal)
    });
    let ((channel, secret), _) = created.await?;
    let channel = ChannelJson::new(channel);
    let json = NewChannelJson { channel, secret };
    Ok(with_secret(StatusCode::CREATED, &json))
}

async fn show(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let id = channel_id(&request)?;
    let found =
        request.read(move |tx, project| find_channel(tx, project.id.into(), id).map_err(refusal));
    let (channel, _) = found.await?;
    request.json(&ChannelJson::new(channel))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, values) = (channel_id(&request)?, read_update(request.params(), &[])?);
    let (vault, by) = (request.vault(), actor(&request));
    let updated = request.write(move |tx, project| {
        update_channel(tx, &vault, (project.id.into(), id), &values, by).map_err(refusal)
    });
    let (channel, _) = updated.await?;
    request.json(&ChannelJson::new(channel))
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (channel_id(&request)?, request.precondition());
    let by = actor(&request);
    let deleted = request.write(move |tx, project| {
        let channel = delete_channel(tx, (project.id.into(), id), by).map_err(refusal)?;
        Ok(condition.check(channel.updated_at)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

async fn test(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, now) = (channel_id(&request)?, request.now());
    let written = request.write(move |tx, project| {
        test_channel(tx, project.id.into(), id, now).map_err(refusal)?;
        find_channel(tx, project.id.into(), id).map_err(refusal)
    });
    let (channel, _) = written.await?;
    Ok(HttpResponse::Created().json(ChannelJson::new(channel)))
}

async fn rotate(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let id = channel_id(&request)?;
    let (vault, by) = (request.vault(), actor(&request));
    let rotated = request.write(move |tx, project| {
        rotate_secret(tx, &vault, (project.id.into(), id), by).map_err(refusal)
    });
    let ((channel, secret), _) = rotated.await?;
    let json = NewChannelJson {
        channel: ChannelJson::new(channel),
        secret: Some(secret),
    };
    Ok(with_secret(StatusCode::OK, &json))
}

pub(super) fn actor(request: &InProject<Maintainer, WriteApi>) -> Actor {
    Actor {
        id: request.actor_id(),
        viewer: request.viewer(),
        now: request.now(),
    }
}

fn channel_id(request: &ApiRequest) -> Result<ChannelId, ApiError> {
    Ok(ChannelId::new(request.number(ID.name, RESOURCE)?))
}

pub(super) fn refusal(error: ChannelError) -> Failure {
    match error {
        ChannelError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
