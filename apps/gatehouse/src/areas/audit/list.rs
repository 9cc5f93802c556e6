//! Pages of audit events, by offset and by key (`PAGE-05`).

use accounts::{AuditEntry, AuditFilter};
use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use api_conventions::paging::{IdCursor, Paging};
use api_conventions::params::Params;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec};

use super::json::AuditEventJson;
use super::names::AuditNames;
use crate::frame::api::ApiRequest;

pub(super) const TAG: &str = "audit events";
pub(super) const RESOURCE: &str = "Audit Event";

pub(super) const CREATED_AFTER: Parameter = Parameter::query(
    "created_after",
    ParameterKind::Timestamp,
    "Only events at or after this time.",
);
pub(super) const CREATED_BEFORE: Parameter = Parameter::query(
    "created_before",
    ParameterKind::Timestamp,
    "Only events at or before this time.",
);
const ORDER_BY: Parameter = Parameter::query(
    "order_by",
    ParameterKind::Word(&["id"]),
    "Sort column of keyset pagination.",
);
const SORT: Parameter = Parameter::query(
    "sort",
    ParameterKind::Word(&["desc"]),
    "Sort direction of keyset pagination.",
);
const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::ANY_TEXT,
    "Cursor from the `Link` header of the previous page. Requires `pagination=keyset`.",
);

/// Documents what all lists have in common.
pub(super) fn documented(list: Operation, summary: &'static str) -> Operation {
    list.documented(TAG, summary)
        .takes([CREATED_AFTER, CREATED_BEFORE, ORDER_BY, SORT, CURSOR])
        .paged(Pages::OffsetAndKeyset)
        .response(ResponseSpec::json::<Vec<AuditEventJson>>(
            200,
            "A page of events, newest first.",
        ))
}

/// Adds the times of a request to a filter.
pub(super) fn read_times(params: &Params, filter: AuditFilter) -> Result<AuditFilter, ApiError> {
    let mut read = params.reader();
    let created_after = read.timestamp(CREATED_AFTER.name);
    let created_before = read.timestamp(CREATED_BEFORE.name);
    read.finish()?;
    Ok(AuditFilter {
        created_after,
        created_before,
        ..filter
    })
}

/// Requested page.
#[derive(Debug, Clone, Copy)]
pub(super) enum AuditPaging {
    /// Page with this number.
    Offset(OffsetPage),
    /// Page beyond this entry, or the first one.
    Keyset(Option<AuditEntryId>, KeysetPage),
}

impl AuditPaging {
    /// Parses the page.
    ///
    /// # Errors
    /// 400 for invalid values; 405 for keyset pagination in another order than by id, descending, and for an offset
    /// beyond the limit.
    pub(super) fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        let params = request.params();
        let paging = Paging::by_id(params, request.settings().paging.max_offset)?;
        let mut read = params.reader();
        let cursor = read.word(CURSOR.name, IdCursor::parse);
        match paging {
            Paging::Offset(page) => {
                read.word(ORDER_BY.name, |word| (word == "id").then_some(()));
                read.word(SORT.name, |word| (word == "desc").then_some(()));
                if cursor.is_some() {
                    read.fault(CURSOR.name, "requires pagination=keyset");
                }
                read.finish()?;
                Ok(Self::Offset(page))
            }
            Paging::Keyset {
                sort: SortOrder::Ascending,
                ..
            } => {
                let reason = "Keyset pagination of audit events is ordered by id, descending";
                Err(ApiError::paging_not_allowed(reason))
            }
            Paging::Keyset { per_page, sort } => {
                read.finish()?;
                let last = cursor.map(|cursor| AuditEntryId::new(cursor.id()));
                Ok(Self::Keyset(last, KeysetPage::new(per_page, sort)))
            }
        }
    }
}

/// Page of entries, with the names that its JSON needs.
#[derive(Debug)]
pub(super) struct AuditPage {
    entries: PagedEntries,
    names: AuditNames,
}

/// Entries of either kind of page.
#[derive(Debug)]
enum PagedEntries {
    Offset(OffsetPage, Page<AuditEntry>),
    Keyset(KeysetSlice<AuditEntry>),
}

impl AuditPage {
    /// Loads a page.
    pub(super) fn load(
        tx: &mut dyn ReadTransaction,
        filter: &AuditFilter,
        paging: AuditPaging,
    ) -> Result<Self, StoreError> {
        let entries = match paging {
            AuditPaging::Offset(page) => {
                PagedEntries::Offset(page, tx.list_audit_entries_by_page(filter, page)?)
            }
            AuditPaging::Keyset(last, page) => {
                PagedEntries::Keyset(tx.list_audit_entries(filter, last, page)?)
            }
        };
        let items = match &entries {
            PagedEntries::Offset(_, page) => &page.items,
            PagedEntries::Keyset(slice) => &slice.items,
        };
        let names = AuditNames::load(tx, items)?;
        Ok(Self { entries, names })
    }

    /// Responds with the page.
    pub(super) fn respond(self, request: &ApiRequest) -> Result<HttpResponse, Failure> {
        let Self { entries, names } = self;
        match entries {
            PagedEntries::Offset(paging, page) => {
                request.page(paging, page, |entry| AuditEventJson::new(entry, &names))
            }
            PagedEntries::Keyset(slice) => {
                let last = slice.items.last().filter(|_| slice.has_next);
                let cursor = last.map(|entry| IdCursor::new(entry.id.get()).to_string());
                let headers = request
                    .list_address()
                    .cursor_headers(None, cursor.as_deref());
                let items = slice.items.into_iter();
                let items = items.map(|entry| AuditEventJson::new(entry, &names));
                request.json_with(&items.collect::<Vec<_>>(), headers)
            }
        }
    }
}
