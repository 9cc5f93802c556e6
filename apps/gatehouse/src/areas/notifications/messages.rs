//! `/api/v4/projects/:id/notification_messages`: the messages that a project sent or will send.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use api_conventions::page::OffsetPage;
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use notifications::model::{DeliveryAttempt, MessageFilter, MessageScope, OutboxMessage};
use notifications::wire::{AttemptJson, MessageJson};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Parameter, ParameterKind, ResponseSpec, get};

use super::api::TAG;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi};

const CHANNEL: Parameter = Parameter::query(
    "channel_id",
    ParameterKind::ID,
    "Only messages of the channel with this ID.",
);

/// Parameters of a page of messages.
pub(super) const PAGING: [Parameter; 2] = [
    Parameter::query(
        "per_page",
        ParameterKind::Integer { min: 1, max: 100 },
        "Largest number of messages on a page.",
    ),
    Parameter::query(
        "cursor",
        ParameterKind::ID,
        "Only messages with smaller IDs. The link to the next page contains it.",
    ),
];

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get(
            "listNotificationMessages",
            "/api/v4/projects/{id}/notification_messages",
            list,
        )
        .documented(TAG, "List the messages of the notification channels of a project")
        .takes([PROJECT])
        .takes([CHANNEL])
        .takes(PAGING)
        .response(ResponseSpec::json::<Vec<MessageJson>>(
            200,
            "A page of messages with their attempts, the newest first. Messages are kept for 30 days after their end.",
        )),
    ]
}

/// Requested page of messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageQuery {
    channel: Option<ChannelId>,
    before: Option<MessageId>,
    limit: usize,
}

/// Page of messages with their attempts.
#[derive(Debug)]
pub(super) struct MessagePage {
    pub(super) messages: Vec<(OutboxMessage, Vec<DeliveryAttempt>)>,
    /// Position at which the next page begins, if there is one.
    pub(super) next: Option<MessageId>,
}

impl MessageQuery {
    /// Parses the parameters of a list.
    ///
    /// # Errors
    /// 400 for an invalid value.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let mut read = params.reader();
        let channel = read.integer_within(CHANNEL.name, 1..=i64::MAX);
        read.finish()?;
        Ok(Self {
            channel: channel.map(ChannelId::new),
            ..Self::read_page(params)?
        })
    }

    /// Parses the parameters of a list of one channel.
    ///
    /// # Errors
    /// 400 for an invalid value.
    pub(super) fn read_page(params: &Params) -> Result<Self, ApiError> {
        let [per_page, cursor] = PAGING.map(|one| one.name);
        let mut read = params.reader();
        let before = read.integer_within(cursor, 1..=i64::MAX);
        let limit = read.integer_within(per_page, 1..=100);
        read.finish()?;
        let limit = limit.and_then(|number| usize::try_from(number).ok());
        Ok(Self {
            channel: None,
            before: before.map(MessageId::new),
            limit: limit.unwrap_or_else(|| usize::from(OffsetPage::default().per_page())),
        })
    }

    /// Returns the query for the messages of one channel.
    pub(super) const fn of_channel(mut self, channel: ChannelId) -> Self {
        self.channel = Some(channel);
        self
    }

    /// Lists the messages of a page, of a project or one of its channels.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn list<T: ReadTransaction + ?Sized>(
        self,
        tx: &mut T,
        project: ProjectId,
    ) -> Result<MessagePage, StoreError> {
        let scope = self.channel.map_or(MessageScope::Project(project), |id| {
            MessageScope::Channel(project.into(), id)
        });
        self.list_scope(tx, scope)
    }

    /// Lists the messages of a page.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn list_scope<T: ReadTransaction + ?Sized>(
        self,
        tx: &mut T,
        scope: MessageScope,
    ) -> Result<MessagePage, StoreError> {
        let filter = MessageFilter {
            scope,
            before: self.before,
        };
        let mut messages = tx.list_messages(&filter, self.limit.saturating_add(1))?;
        let has_next = messages.len() > self.limit;
        messages.truncate(self.limit);
        let ids: Vec<MessageId> = messages.iter().map(|message| message.id).collect();
        let mut attempts: BTreeMap<MessageId, Vec<DeliveryAttempt>> = BTreeMap::new();
        for attempt in tx.list_attempts(&ids)? {
            attempts
                .entry(attempt.message_id)
                .or_default()
                .push(attempt);
        }
        Ok(MessagePage {
            next: ids.last().copied().filter(|_| has_next),
            messages: messages
                .into_iter()
                .map(|message| {
                    let attempts = attempts.remove(&message.id).unwrap_or_default();
                    (message, attempts)
                })
                .collect(),
        })
    }
}

async fn list(request: InProject<Maintainer, ReadApi>) -> Result<HttpResponse, Failure> {
    let query = MessageQuery::read(request.params())?;
    let found = request.read(move |tx, project| Ok(query.list(tx, project.id)?));
    let (page, _) = found.await?;
    let next = page.next.map(|id| id.to_string());
    let headers = request.list_address().cursor_headers(None, next.as_deref());
    let json = page.messages.into_iter().map(|(message, attempts)| {
        let attempts = attempts.into_iter().map(AttemptJson::from);
        MessageJson::new(message, attempts.collect())
    });
    request.json_with(&json.collect::<Vec<_>>(), headers)
}
