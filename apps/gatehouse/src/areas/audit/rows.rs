//! Rows of the pages of the audit log, and their positions in it.

use accounts::{AuditEntity, AuditEntry, AuditFilter};
use actix_web::HttpRequest;
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;

use super::json::{author_name, impersonator_name, kind_name};
use super::names::AuditNames;
use super::sentences::sentence;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::return_to::query_value;

/// Events per page.
const PER_PAGE: u16 = 50;

/// Position of a page in the log.
#[derive(Debug, Clone, Copy)]
pub(super) enum AuditPosition {
    /// The newest events.
    Newest,
    /// Events older than this one.
    OlderThan(AuditEntryId),
    /// Events newer than this one.
    NewerThan(AuditEntryId),
}

impl AuditPosition {
    /// Parses the position in the query. Anything invalid is the first page.
    pub(super) fn of(request: &HttpRequest) -> Self {
        let id = |name| {
            let text = query_value(request, name)?;
            text.parse().ok().map(AuditEntryId::new)
        };
        match (id("before"), id("after")) {
            (Some(id), _) => Self::OlderThan(id),
            (None, Some(id)) => Self::NewerThan(id),
            (None, None) => Self::Newest,
        }
    }
}

/// Events of a page, newest first.
#[derive(Debug)]
pub(super) struct AuditRows {
    entries: Vec<AuditEntry>,
    names: AuditNames,
    /// Last event of the page, if older ones follow.
    pub(super) older: Option<i64>,
    /// First event of the page, if there are newer ones.
    pub(super) newer: Option<i64>,
}

impl AuditRows {
    /// Loads a page.
    pub(super) fn load(
        tx: &mut dyn ReadTransaction,
        filter: &AuditFilter,
        position: AuditPosition,
    ) -> Result<Self, StoreError> {
        let (last, sort) = match position {
            AuditPosition::Newest => (None, SortOrder::Descending),
            AuditPosition::OlderThan(id) => (Some(id), SortOrder::Descending),
            AuditPosition::NewerThan(id) => (Some(id), SortOrder::Ascending),
        };
        let slice = tx.list_audit_entries(filter, last, KeysetPage::new(PER_PAGE, sort))?;
        let mut entries = slice.items;
        if sort == SortOrder::Ascending {
            entries.reverse();
        }
        let (has_older, has_newer) = match position {
            AuditPosition::Newest => (slice.has_next, false),
            AuditPosition::OlderThan(_) => (slice.has_next, true),
            AuditPosition::NewerThan(_) => (true, slice.has_next),
        };
        let id = |entry: Option<&AuditEntry>| entry.map(|entry| entry.id.get());
        Ok(Self {
            older: id(entries.last()).filter(|_| has_older),
            newer: id(entries.first()).filter(|_| has_newer),
            names: AuditNames::load(tx, &entries)?,
            entries,
        })
    }

    /// Converts the events to rows.
    pub(super) fn views(self, now: Timestamp) -> Vec<AuditEventRow> {
        let Self { entries, names, .. } = self;
        let entries = entries.into_iter();
        entries
            .map(|entry| AuditEventRow::new(&entry, &names, now))
            .collect()
    }
}

/// Row of a page.
#[derive(Debug)]
pub(super) struct AuditEventRow {
    pub(super) time: DisplayTime,
    pub(super) author: DisplayName,
    /// Username of the administrator who acted as the author.
    pub(super) impersonator: Option<DisplayName>,
    pub(super) sentence: &'static str,
    pub(super) entity: DisplayName,
    pub(super) target: Option<DisplayName>,
    /// Names and values of the details.
    pub(super) details: Vec<(String, DisplayName)>,
}

impl AuditEventRow {
    fn new(entry: &AuditEntry, names: &AuditNames, now: Timestamp) -> Self {
        let target = entry.target.as_ref();
        let fields = entry.details.fields().into_iter();
        let fields = fields.filter(|(_, value)| !value.is_empty());
        Self {
            time: DisplayTime::at(entry.created_at, now),
            author: DisplayName::of(author_name(entry, names)),
            impersonator: impersonator_name(entry, names).map(DisplayName::of),
            sentence: sentence(entry.event_name),
            entity: DisplayName::of(&entity_name(entry.entity, names)),
            target: target.map(|target| DisplayName::of(&target.name)),
            details: fields
                .map(|(name, value)| (name.replace('_', " "), DisplayName::of(&value)))
                .collect(),
        }
    }
}

/// Path or username of an entity, or its kind and id if it was deleted.
fn entity_name(entity: AuditEntity, names: &AuditNames) -> String {
    if entity == AuditEntity::Instance {
        return "This server".to_owned();
    }
    let (_, id) = entity.numbers();
    names.path(entity).map_or_else(
        || format!("{} {id}, deleted", kind_name(entity.kind())),
        ToOwned::to_owned,
    )
}
