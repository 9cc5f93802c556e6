//! Notification channels of a project, and the messages of all of them.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use askama::Template;
use gatehouse_core::flows::hand_over::name_schedules;
use notifications::flow::{MAX_CHANNELS, list_channels};
use notifications::model::{Channel, ChannelKind};
use web_conventions::failure::Failure;

use super::super::messages::MessageQuery;
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
pub(in crate::areas::notifications) struct ChannelListPage {
    shell: Shell,
    tabs: Vec<Tab>,
    /// Path of the page, below the root of the server.
    path: String,
    /// Address of the account, for the channels of a user.
    account: Option<String>,
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
        let mut channels = list_channels(tx, project.into())?;
        name_schedules(tx, project, &mut channels)?;
        Ok((channels, wanted.list(tx, project)?))
    });
    let ((channels, sent), found) = read.await?;
    let now = page.now();
    let row = |message| MessageEntry::new(Some(&found), &channels, message, now);
    let frame = ChannelListFrame {
        shell: page.shell(&found, Section::Settings, "Notifications"),
        tabs: settings_tabs::tabs(&found, SettingsTab::Notifications),
        path: path_of_list(&found),
        account: None,
    };
    let older = sent
        .next
        .map(|id| query.with(&[("cursor", &id.to_string())]));
    let shown = ChannelListPage {
        messages: sent.messages.into_iter().map(row).collect(),
        older,
        ..ChannelListPage::new(frame, &channels, kinds(kind), form)
    };
    page.show_with(status, &shown)
}

/// Surroundings of a list of channels.
pub(in crate::areas::notifications) struct ChannelListFrame {
    pub(in crate::areas::notifications) shell: Shell,
    pub(in crate::areas::notifications) tabs: Vec<Tab>,
    /// Path of the page, below the root of the server.
    pub(in crate::areas::notifications) path: String,
    /// Address of the account, for the channels of a user.
    pub(in crate::areas::notifications) account: Option<String>,
}

impl ChannelListPage {
    /// Creates the page of these channels, without messages.
    pub(in crate::areas::notifications) fn new(
        frame: ChannelListFrame,
        channels: &[Channel],
        kinds: Vec<FormChoice>,
        form: ChannelForm,
    ) -> Self {
        let row = |channel| ChannelRow::new(channel, &frame);
        Self {
            rows: channels.iter().map(row).collect(),
            shell: frame.shell,
            tabs: frame.tabs,
            path: frame.path,
            account: frame.account,
            may_create: channels.len() < MAX_CHANNELS,
            form,
            kinds,
            messages: Vec::new(),
            older: None,
        }
    }
}

impl ChannelRow {
    fn new(channel: &Channel, frame: &ChannelListFrame) -> Self {
        let settings = &channel.settings;
        let parts = [settings.url.as_str(), settings.recipient.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let is_own_address = channel.kind == ChannelKind::Email && frame.account.is_some();
        Self {
            name: DisplayName::of(&settings.name),
            path: format!("{}/{}", frame.path, channel.id),
            kind: kind_name(channel.kind),
            state: state(channel),
            to: if is_own_address {
                frame.account.clone().unwrap_or_default()
            } else {
                parts.join(" ")
            },
        }
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
