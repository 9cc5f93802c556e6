//! `/api/v4/user/notification_channels`: the notification channels of the current user.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::ChannelId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::flows::channels::delete_channel;
use gatehouse_core::flows::user_channels::{create_user_channel, update_user_channel};
use notifications::flow::{find_channel, list_channels, test_channel};
use notifications::wire::{AttemptJson, ChannelJson, MessageJson, NewChannelJson};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::super::api::{TAG, refusal};
use super::super::input::{FIELDS, NAME, read_new, read_update};
use super::super::messages::{MessageQuery, PAGING};
use crate::frame::api::AsUser;
use crate::frame::new_token::with_secret;
use crate::frame::scopes::{ReadApi, WriteApi};
use notifications::model::MessageScope;

const ALL: &str = "/api/v4/user/notification_channels";
const ONE: &str = "/api/v4/user/notification_channels/{channel_id}";
const TEST: &str = "/api/v4/user/notification_channels/{channel_id}/test";
const MESSAGES: &str = "/api/v4/user/notification_channels/{channel_id}/messages";

const RESOURCE: &str = "Notification Channel";

const ID: Parameter = Parameter::path(
    "channel_id",
    ParameterKind::ID,
    "ID of the notification channel.",
);

const KIND: Parameter = Parameter::body(
    "kind",
    ParameterKind::Word(super::KINDS),
    "Kind of the channel. It never changes. An `email` channel has no `recipient`: it sends to the address of the account.",
);

const ASSIGNMENT_EVENTS: Parameter = Parameter::body(
    "assignment_events",
    ParameterKind::Boolean,
    "True to send messages about what is assigned to the user, and what mentions the user, of any severity (default: true).",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let channel = |status, text| ResponseSpec::json::<ChannelJson>(status, text);
    let taken = || ResponseSpec::refusal(409, "Another channel of the user has the name.");
    vec![
        get("listUserNotificationChannels", ALL, list)
            .documented(TAG, "List the notification channels of the current user")
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ChannelJson>>(
                200,
                "A page of channels, in the order of their creation.",
            )),
        post("createUserNotificationChannel", ALL, create)
            .documented(TAG, "Create a notification channel of the current user")
            .takes([KIND.required(), NAME.required(), ASSIGNMENT_EVENTS])
            .takes(FIELDS)
            .response(ResponseSpec::json::<NewChannelJson>(
                201,
                "The channel. Of a `webhook`, with the signing secret, which is shown only once.",
            ))
            .response(taken()),
        get("showUserNotificationChannel", ONE, show)
            .documented(TAG, "Get a notification channel of the current user")
            .takes([ID])
            .response(channel(200, "The channel.")),
        put("updateUserNotificationChannel", ONE, update)
            .documented(TAG, "Update a notification channel of the current user")
            .takes([ID, NAME, ASSIGNMENT_EVENTS])
            .takes(FIELDS)
            .response(channel(200, "The updated channel."))
            .response(taken()),
        delete("deleteUserNotificationChannel", ONE, remove)
            .documented(TAG, "Delete a notification channel of the current user")
            .takes([ID])
            .response(ResponseSpec::empty(
                204,
                "Deleted. Messages that wait are cancelled.",
            )),
        post("testUserNotificationChannel", TEST, test)
            .documented(TAG, "Send a test message to a channel of the current user")
            .takes([ID])
            .response(channel(201, "The message waits to be sent.")),
        get("listUserNotificationMessages", MESSAGES, messages)
            .documented(
                TAG,
                "List the messages to a channel of the current user, the newest first",
            )
            .takes([ID])
            .takes(PAGING)
            .response(ResponseSpec::json::<Vec<MessageJson>>(
                200,
                "A page of messages with their attempts.",
            )),
    ]
}

async fn list(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let user = request.caller().user.id;
    let found = request.read(move |tx| Ok(list_channels(tx, user.into())?));
    let page = Page::of_all(found.await?, paging);
    request.page(paging, page, ChannelJson::new)
}

/// Parses the parameter that channels of projects do not have.
///
/// # Errors
/// 400 for an invalid value.
fn read_assignment_events(params: &Params) -> Result<Option<bool>, ApiError> {
    let mut read = params.reader();
    let value = read.boolean(ASSIGNMENT_EVENTS.name);
    read.finish()?;
    Ok(value)
}

async fn create(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let (kind, mut values) = read_new(request.params())?;
    values.input.assignment_events = read_assignment_events(request.params())?;
    let kind = super::parse_kind(kind.as_str())
        .ok_or_else(|| ApiError::invalid_parameters(&[format!("{} is invalid", KIND.name)]))?;
    let (vault, by, user) = (
        request.vault(),
        request.actor(),
        request.caller().user.clone(),
    );
    let created = request.write(move |tx| {
        create_user_channel(tx, &vault, &user, kind, &values, by).map_err(refusal)
    });
    let (channel, secret) = created.await?;
    let channel = ChannelJson::new(channel);
    let json = NewChannelJson { channel, secret };
    Ok(with_secret(StatusCode::CREATED, &json))
}

async fn show(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let id = ChannelId::new(request.number(ID.name, RESOURCE)?);
    let user = request.caller().user.id;
    let found = request.read(move |tx| find_channel(tx, user.into(), id).map_err(refusal));
    request.json(&ChannelJson::new(found.await?))
}

async fn update(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let id = ChannelId::new(request.number(ID.name, RESOURCE)?);
    let mut values = read_update(request.params(), &[ASSIGNMENT_EVENTS.name])?;
    values.input.assignment_events = read_assignment_events(request.params())?;
    let (vault, by, user) = (
        request.vault(),
        request.actor(),
        request.caller().user.clone(),
    );
    let updated = request.write(move |tx| {
        update_user_channel(tx, &vault, (&user, id), &values, by).map_err(refusal)
    });
    request.json(&ChannelJson::new(updated.await?))
}

async fn remove(request: AsUser<WriteApi>) -> Result<Deletion, Failure> {
    let id = ChannelId::new(request.number(ID.name, RESOURCE)?);
    let (condition, by) = (request.precondition(), request.actor());
    let deleted = request.write(move |tx| {
        let channel = delete_channel(tx, (by.id.into(), id), by).map_err(refusal)?;
        Ok(condition.check(channel.updated_at)?)
    });
    Ok(Deletion::no_content(deleted.await?))
}

async fn test(request: AsUser<WriteApi>) -> Result<HttpResponse, Failure> {
    let id = ChannelId::new(request.number(ID.name, RESOURCE)?);
    let (user, now) = (request.caller().user.id, request.now());
    let written = request.write(move |tx| {
        test_channel(tx, user.into(), id, now).map_err(refusal)?;
        find_channel(tx, user.into(), id).map_err(refusal)
    });
    Ok(HttpResponse::Created().json(ChannelJson::new(written.await?)))
}

async fn messages(request: AsUser<ReadApi>) -> Result<HttpResponse, Failure> {
    let id = ChannelId::new(request.number(ID.name, RESOURCE)?);
    let (user, query) = (
        request.caller().user.id,
        MessageQuery::read_page(request.params())?,
    );
    let found = request.read(move |tx| {
        find_channel(tx, user.into(), id).map_err(refusal)?;
        Ok(query.list_scope(tx, MessageScope::Channel(user.into(), id))?)
    });
    let page = found.await?;
    let next = page.next.map(|id| id.to_string());
    let headers = request.list_address().cursor_headers(None, next.as_deref());
    let json = page.messages.into_iter().map(|(message, attempts)| {
        let attempts = attempts.into_iter().map(AttemptJson::from);
        MessageJson::new(message, attempts.collect())
    });
    request.json_with(&json.collect::<Vec<_>>(), headers)
}
