//! Notification channels of a project, and the messages of all of them.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use notifications::flow::{MAX_CHANNELS, list_channels};
use notifications::model::{Channel, ChannelKind};
use web_conventions::failure::Failure;

use super::super::messages::MessageQuery;
use super::super::path_of_on_call;
use super::ChannelManagers;
use super::form::{ChannelForm, FormChoice, kind_name, kinds};
use super::message_rows::MessageEntry;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Tab};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage};
use crate::frame::page::settings_tabs::{self, SettingsTab};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// Row of a channel.
struct ChannelRow {
    name: DisplayName,
    path: String,
    kind: &'static str,
    state: Pill,
    /// Receiver: a URL, addresses, a room or a topic.
    to: String,
}

#[derive(Template)]
#[template(path = "areas/notifications/channel_list.html")]
struct ChannelListPage {
    shell: Shell,
    tabs: Vec<Tab>,
    /// Path of the page, below the root of the server.
    path: String,
    /// Path of the on-call schedules.
    on_call: String,
    rows: Vec<ChannelRow>,
    may_create: bool,
    form: ChannelForm,
    kinds: Vec<FormChoice>,
    messages: Vec<MessageEntry>,
    older: Option<String>,
}

/// Responds with the list.
pub(super) async fn show(page: ProjectPage<ChannelManagers>) -> Result<HttpResponse, PageFailure> {
    respond(&page, StatusCode::OK, None, ChannelForm::new()).await
}

/// Responds with the list and a form.
pub(super) async fn respond(
    page: &ProjectPage<ChannelManagers>,
    status: StatusCode,
    kind: Option<ChannelKind>,
    form: ChannelForm,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let wanted = MessageQuery::read(query.params()).map_err(Failure::from)?;
    let read = page.read(move |tx, found| {
        let project = found.project.id;
        Ok((
            list_channels(tx, project.into())?,
            wanted.list(tx, project)?,
        ))
    });
    let ((channels, sent), found) = read.await?;
    let now = page.now();
    let row = |message| MessageEntry::new(&found, &channels, message, now);
    let shown = ChannelListPage {
        shell: page.shell(&found, Section::Settings, "Notifications"),
        tabs: settings_tabs::tabs(&found, SettingsTab::Notifications),
        path: path_of_list(&found),
        on_call: path_of_on_call(&found),
        rows: channels.iter().map(|one| row_of(&found, one)).collect(),
        may_create: channels.len() < MAX_CHANNELS,
        form,
        kinds: kinds(kind),
        messages: sent.messages.into_iter().map(row).collect(),
        older: sent
            .next
            .map(|id| query.with(&[("cursor", &id.to_string())])),
    };
    page.show_with(status, &shown)
}

fn row_of(found: &ProjectContext, channel: &Channel) -> ChannelRow {
    let settings = &channel.settings;
    let parts = [settings.url.as_str(), settings.recipient.as_str()];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    ChannelRow {
        name: DisplayName::of(&settings.name),
        path: path_of(found, channel),
        kind: kind_name(channel.kind),
        state: state(channel),
        to: parts.join(" "),
    }
}

/// Returns the state of a channel.
pub(in crate::areas::notifications) fn state(channel: &Channel) -> Pill {
    match (channel.settings.is_active, channel.lane.failures) {
        (false, _) => Pill::OFF,
        (true, 0) => Pill::ON,
        (true, _) => Pill::FAILING,
    }
}

/// Returns the path of the list, below the root of the server.
pub(super) fn path_of_list(found: &ProjectContext) -> String {
    format!("{}/-/settings/notifications", found.path())
}

/// Returns the path of the page of a channel, below the root of the server.
pub(super) fn path_of(found: &ProjectContext, channel: &Channel) -> String {
    format!("{}/{}", path_of_list(found), channel.id)
}
