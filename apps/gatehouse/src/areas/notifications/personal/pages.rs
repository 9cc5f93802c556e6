//! `/profile/notifications`: the notification channels of the signed-in user, and what was sent to them.

use std::sync::Arc;

use accounts::User;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ChannelId;
use gatehouse_core::flows::channels::{ChannelValues, delete_channel, rotate_secret};
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::user_channels::{create_user_channel, update_user_channel};
use notifications::flow::{ChannelInput, find_channel, list_channels, test_channel};
use notifications::model::{Channel, ChannelKind, MessageScope};
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use super::super::api::refusal;
use super::super::messages::MessageQuery;
use super::super::pages::{
    ChannelForm, ChannelFrame, ChannelListFrame, ChannelListPage, ChannelPage, kinds, settled,
};
use super::parse_kind;
use crate::frame::form::SignedInForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::ListQuery;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::SiteArea;
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

const LIST: &str = "/profile/notifications";
const ONE: &str = "/profile/notifications/{id}";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("ownNotificationChannelsPage", LIST, show_list),
        post("createOwnNotificationChannelForm", LIST, create),
        get("ownNotificationChannelPage", ONE, show),
        post("changeOwnNotificationChannelForm", ONE, change),
    ]
}

async fn show_list(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    respond_list(&page, StatusCode::OK, None, ChannelForm::for_user()).await
}

async fn respond_list(
    page: &PageRequest<'_>,
    status: StatusCode,
    kind: Option<ChannelKind>,
    form: ChannelForm,
) -> Result<HttpResponse, PageFailure> {
    let user = &page.visitor.member(page.request)?.user;
    let owner = user.id.into();
    let read = page.state.database.read(page.visitor.lane(), move |tx| {
        Ok::<_, Failure>(list_channels(tx, owner)?)
    });
    let channels: Vec<Channel> = read.await?;
    let frame = ChannelListFrame {
        shell: page.shell(SiteArea::Profile, "Notifications"),
        tabs: Vec::new(),
        path: LIST.to_owned(),
        account: Some(user.email.clone()),
    };
    let kinds = kinds(kind).into_iter();
    let kinds = kinds.filter(|choice| parse_kind(choice.word).is_some());
    page.show_with(
        status,
        &ChannelListPage::new(frame, &channels, kinds.collect(), form),
    )
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    respond(&page, StatusCode::OK, None).await
}

async fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    form: Option<ChannelForm>,
) -> Result<HttpResponse, PageFailure> {
    let id = ChannelId::new(id_in_path(page.request)?);
    let owner = page.visitor.member(page.request)?.user.id.into();
    let query = ListQuery::of(page.request)?;
    let wanted = MessageQuery::read_page(query.params()).map_err(Failure::from)?;
    let read = page.state.database.read(page.visitor.lane(), move |tx| {
        let channel = find_channel(tx, owner, id).map_err(refusal)?;
        let sent = wanted.list_scope(tx, MessageScope::Channel(owner, id))?;
        Ok::<_, Failure>((channel, sent))
    });
    let (channel, sent) = read.await?;
    let form = form.unwrap_or_else(|| ChannelForm::of(&channel));
    let older = sent
        .next
        .map(|id| query.with(&[("cursor", &id.to_string())]));
    let name = DisplayName::of(&channel.settings.name);
    let frame = ChannelFrame {
        shell: page.shell(SiteArea::Profile, name.isolated()),
        list: LIST.to_owned(),
        found: None,
        state: page.state,
        now: page.visitor.now(),
        older,
    };
    page.show_with(status, &ChannelPage::new(frame, &channel, sent, form))
}

async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let kind = parse_kind(form.text("kind"));
    let kind = kind.ok_or_else(|| PageFailure::bad_request("Choose the kind of the channel."))?;
    let sent = ChannelForm::read(&form);
    match insert(&page, kind, sent.clone()).await? {
        Ok(channel) => {
            let path = format!("{LIST}/{}", channel.id);
            Ok(page.redirect_with_notice(&path, Notice::ChannelCreated))
        }
        Err(problem) => {
            let sent = sent.refused(problem);
            respond_list(&page, StatusCode::UNPROCESSABLE_ENTITY, Some(kind), sent).await
        }
    }
}

/// Creates the channel of a form, or returns the problem of the form as a sentence.
async fn insert(
    page: &PageRequest<'_>,
    kind: ChannelKind,
    typed: ChannelForm,
) -> Result<Result<Channel, String>, PageFailure> {
    let (user, by) = member(page)?;
    let vault = Arc::clone(&page.state.vault);
    let created = page.state.write(move |tx| {
        let values = match values_of(&typed, kind) {
            Ok(values) => values,
            Err(problem) => return Ok(Err(problem)),
        };
        settled(create_user_channel(tx, &vault, &user, kind, &values, by))
    });
    let created: Result<Result<(Channel, _), String>, Failure> = created.await;
    Ok(created?.map(|(channel, _)| channel))
}

/// Returns the values of a form. An e-mail channel has no recipient of its own.
fn values_of(form: &ChannelForm, kind: ChannelKind) -> Result<ChannelValues, String> {
    let mut values = form.values(kind)?;
    if kind == ChannelKind::Email {
        values.input.recipient = None;
    }
    Ok(values)
}

/// Returns the signed-in user, also as the actor of changes.
fn member(page: &PageRequest<'_>) -> Result<(User, Actor), PageFailure> {
    let user = page.visitor.member(page.request)?.user.clone();
    let actor = Actor {
        id: user.id,
        viewer: page.visitor.viewer(),
        now: page.visitor.now(),
    };
    Ok((user, actor))
}

/// Changes, tests, turns on or off, or deletes a channel.
async fn change(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let id = ChannelId::new(id_in_path(&request)?);
    let path = format!("{LIST}/{id}");
    let (path, notice) = match form.text("event") {
        "settings" => return set(&page, &form, id).await,
        "enable" => (path, switch(&page, id, true).await?),
        "disable" => (path, switch(&page, id, false).await?),
        "test" => (path, test(&page, id).await?),
        "rotate" => (path, rotate(&page, id).await?),
        "delete" => (LIST.to_owned(), delete(&page, id).await?),
        _ => {
            let text = "Choose what to do with the channel.";
            return Err(PageFailure::bad_request(text));
        }
    };
    Ok(page.redirect_with_notice(&path, notice))
}

async fn set(
    page: &PageRequest<'_>,
    form: &SignedInForm,
    id: ChannelId,
) -> Result<HttpResponse, PageFailure> {
    let sent = ChannelForm::read(form);
    let (user, by) = member(page)?;
    let (vault, typed) = (Arc::clone(&page.state.vault), sent.clone());
    let changed = page.state.write(move |tx| {
        let kind = find_channel(tx, user.id.into(), id).map_err(refusal)?.kind;
        let values = match values_of(&typed, kind) {
            Ok(values) => values,
            Err(problem) => return Ok(Err(problem)),
        };
        settled(update_user_channel(tx, &vault, (&user, id), &values, by))
    });
    let changed: Result<_, Failure> = changed.await;
    match changed? {
        Ok(_) => Ok(page.redirect_with_notice(&format!("{LIST}/{id}"), Notice::ChannelChanged)),
        Err(problem) => {
            let sent = sent.refused(problem);
            respond(page, StatusCode::UNPROCESSABLE_ENTITY, Some(sent)).await
        }
    }
}

async fn switch(
    page: &PageRequest<'_>,
    id: ChannelId,
    active: bool,
) -> Result<Notice, PageFailure> {
    let (user, by) = member(page)?;
    let values = ChannelValues {
        input: ChannelInput {
            active: Some(active),
            ..ChannelInput::default()
        },
        token: None,
    };
    let vault = Arc::clone(&page.state.vault);
    let switched = page.state.write(move |tx| {
        update_user_channel(tx, &vault, (&user, id), &values, by).map_err(refusal)
    });
    let switched: Result<Channel, Failure> = switched.await;
    switched?;
    Ok(if active {
        Notice::ChannelEnabled
    } else {
        Notice::ChannelDisabled
    })
}

async fn test(page: &PageRequest<'_>, id: ChannelId) -> Result<Notice, PageFailure> {
    let (user, by) = member(page)?;
    let written = page
        .state
        .write(move |tx| test_channel(tx, user.id.into(), id, by.now).map_err(refusal));
    let written: Result<(), Failure> = written.await;
    written?;
    Ok(Notice::ChannelTested)
}

async fn rotate(page: &PageRequest<'_>, id: ChannelId) -> Result<Notice, PageFailure> {
    let (_, by) = member(page)?;
    let vault = Arc::clone(&page.state.vault);
    let rotated = page.state.write(move |tx| {
        let rotated = rotate_secret(tx, &vault, (by.id.into(), id), by);
        rotated.map(drop).map_err(refusal)
    });
    let rotated: Result<(), Failure> = rotated.await;
    rotated?;
    Ok(Notice::ChannelSecretRotated)
}

async fn delete(page: &PageRequest<'_>, id: ChannelId) -> Result<Notice, PageFailure> {
    let (_, by) = member(page)?;
    let deleted = page
        .state
        .write(move |tx| delete_channel(tx, (by.id.into(), id), by).map_err(refusal));
    let deleted: Result<Channel, Failure> = deleted.await;
    deleted?;
    Ok(Notice::ChannelDeleted)
}
