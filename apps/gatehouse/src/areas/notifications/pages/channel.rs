//! Page of one notification channel: settings, secret, tests, and messages.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::ChannelId;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::channels::signing_secret_of;
use gatehouse_core::flows::hand_over::name_schedules;
use notifications::flow::find_channel;
use notifications::model::{Channel, ChannelKind};
use web_conventions::failure::Failure;

use super::super::api::refusal;
use super::super::messages::{MessagePage, MessageQuery};
use super::ChannelManagers;
use super::form::{ChannelForm, FormChoice, kind_name};
use super::list::{path_of_list, state};
use super::message_rows::MessageEntry;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::ListQuery;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::state::AppState;

#[derive(Template)]
#[template(path = "areas/notifications/channel.html")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each shows or hides a part of the page"
)]
pub(in crate::areas::notifications) struct ChannelPage {
    shell: Shell,
    list: String,
    path: String,
    name: DisplayName,
    kind: &'static str,
    state: Pill,
    is_on: bool,
    /// True for a project hook, which has other settings.
    is_hook: bool,
    /// True for e-mail without a mail server.
    lacks_mail: bool,
    failures: u32,
    next_attempt: Option<DisplayTime>,
    has_url: bool,
    /// Origin of a secret URL, which is not shown.
    secret_origin: Option<String>,
    /// Name of the recipient, for kinds that have one.
    recipient: Option<&'static str>,
    /// Sentence about the access token, for kinds that have one.
    token: Option<&'static str>,
    secret: Option<String>,
    form: ChannelForm,
    severities: Vec<FormChoice>,
    messages: Vec<MessageEntry>,
    older: Option<String>,
}

/// Responds with the page.
pub(super) async fn show(page: ProjectPage<ChannelManagers>) -> Result<HttpResponse, PageFailure> {
    respond(&page, StatusCode::OK, None).await
}

/// Responds with the page and a refused form.
pub(super) async fn respond(
    page: &ProjectPage<ChannelManagers>,
    status: StatusCode,
    form: Option<ChannelForm>,
) -> Result<HttpResponse, PageFailure> {
    let id = channel_id(page)?;
    let query = ListQuery::of(page.request())?;
    let wanted = MessageQuery::read(query.params()).map_err(Failure::from)?;
    let read = page.read(move |tx, found| {
        let project = found.project.id;
        let mut channel = find_channel(tx, project.into(), id).map_err(refusal)?;
        name_schedules(tx, project, std::slice::from_mut(&mut channel))?;
        Ok((channel, wanted.of_channel(id).list(tx, project)?))
    });
    let ((channel, sent), found) = read.await?;
    let form = form.unwrap_or_else(|| ChannelForm::of(&channel));
    let older = sent
        .next
        .map(|id| query.with(&[("cursor", &id.to_string())]));
    let name = DisplayName::of(&channel.settings.name);
    let frame = ChannelFrame {
        shell: page.shell(&found, Section::Settings, &name.isolated()),
        list: path_of_list(&found),
        found: Some(&found),
        state: page.state(),
        now: page.now(),
        older,
    };
    page.show_with(status, &ChannelPage::new(frame, &channel, sent, form))
}

/// Surroundings of the page of a channel.
pub(in crate::areas::notifications) struct ChannelFrame<'a> {
    pub(in crate::areas::notifications) shell: Shell,
    /// Path of the list of channels, below the root of the server.
    pub(in crate::areas::notifications) list: String,
    /// Project; `None` for a channel of a user.
    pub(in crate::areas::notifications) found: Option<&'a ProjectContext>,
    pub(in crate::areas::notifications) state: &'a AppState,
    pub(in crate::areas::notifications) now: Timestamp,
    /// Path of the page with older messages.
    pub(in crate::areas::notifications) older: Option<String>,
}

impl ChannelPage {
    /// Creates the page of a channel.
    pub(in crate::areas::notifications) fn new(
        frame: ChannelFrame<'_>,
        channel: &Channel,
        sent: MessagePage,
        form: ChannelForm,
    ) -> Self {
        let (now, kind) = (frame.now, channel.kind);
        let channels = std::slice::from_ref(channel);
        let row = |message| MessageEntry::new(frame.found, channels, message, now);
        let next = channel.lane.due_at.filter(|_| channel.lane.failures > 0);
        let is_hook = kind == ChannelKind::ProjectHook;
        let takes_token = is_hook || matches!(kind, ChannelKind::Matrix | ChannelKind::Ntfy);
        // E-mail to a user goes to the address of the account.
        let is_own_address = kind == ChannelKind::Email && frame.found.is_none();
        Self {
            shell: frame.shell,
            path: format!("{}/{}", frame.list, channel.id),
            list: frame.list,
            name: DisplayName::of(&channel.settings.name),
            kind: kind_name(kind),
            state: state(channel),
            is_on: channel.settings.is_active,
            is_hook,
            lacks_mail: kind == ChannelKind::Email && !frame.state.senders.has_mail(),
            failures: channel.lane.failures,
            next_attempt: next.map(|due| DisplayTime::at(due, now)),
            has_url: kind.has_url(),
            secret_origin: Some(channel.settings.url.clone()).filter(|_| kind.has_secret_url()),
            recipient: kind.recipient().filter(|_| !is_own_address),
            token: takes_token.then_some(if channel.secret.is_some() {
                "A token is stored. Leave empty to keep it."
            } else {
                "No token is stored."
            }),
            secret: signing_secret_of(&frame.state.vault, channel),
            severities: form.severities(),
            form,
            messages: sent.messages.into_iter().map(row).collect(),
            older: frame.older,
        }
    }
}

/// Returns the id of the channel in the path.
pub(super) fn channel_id(page: &ProjectPage<ChannelManagers>) -> Result<ChannelId, PageFailure> {
    let segment = page.request().match_info().get("channel");
    let id = segment.and_then(|segment| segment.parse().ok());
    let unknown = || ApiError::not_found("Notification Channel").into();
    id.map(ChannelId::new)
        .ok_or_else(|| page.sign_in_if_hidden(unknown()))
}
