//! Lists of groups, subgroups and descendant groups.

use actix_web::HttpResponse;
use api_conventions::ids::NamespaceId;
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::paging::{NameCursor, NamePaging, Paging};
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names_of_groups;
use projects::wire::{GroupDetailJson, GroupJson};
use projects::{FullNames, Group, GroupFilter, GroupsWithin, Viewer};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, Pages, Parameter, ParameterKind, ResponseSpec, get};

use super::parameters::{UNSUPPORTED_FILTERS, filters, read_filter};
use crate::frame::api::{ApiRequest, AsCaller};
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::scopes::ReadApi;

const TAG: &str = "groups";

const CURSOR: Parameter = Parameter::query(
    "cursor",
    ParameterKind::ANY_TEXT,
    "With `pagination=keyset`: cursor from the `Link` header of the previous page.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let page = || ResponseSpec::json::<Vec<GroupJson>>(200, "A page of groups.");
    vec![
        get("listGroups", "/api/v4/groups", list)
            .documented(
                TAG,
                "List the groups of the caller, or all that are visible to the caller",
            )
            .takes(filters())
            .without_filters(UNSUPPORTED_FILTERS)
            .takes([CURSOR])
            .paged(Pages::OffsetAndKeyset)
            .response(page()),
        get("listSubgroups", "/api/v4/groups/{id}/subgroups", subgroups)
            .documented(TAG, "List the direct subgroups of a group")
            .takes([GROUP])
            .takes(filters())
            .without_filters(UNSUPPORTED_FILTERS)
            .paged(Pages::Offset)
            .response(page()),
        get(
            "listDescendantGroups",
            "/api/v4/groups/{id}/descendant_groups",
            descendants,
        )
        .documented(TAG, "List the subgroups of a group, at any depth")
        .takes([GROUP])
        .takes(filters())
        .without_filters(UNSUPPORTED_FILTERS)
        .paged(Pages::Offset)
        .response(page()),
    ]
}

async fn list(request: AsCaller<ReadApi>) -> Result<HttpResponse, Failure> {
    let viewer = *request.caller();
    let filter = read_filter(request.params(), viewer, GroupsWithin::Everywhere)?;
    let max_offset = request.settings().paging.max_offset;
    let is_anonymous = viewer == Viewer::Anonymous;
    match NamePaging::read(request.params(), is_anonymous, max_offset)? {
        NamePaging::Offset(page) => {
            let today = request.now().date();
            let found = request.read(move |tx| {
                let page = tx.list_groups(&filter, today, page)?;
                let names = full_names_of_groups(tx, &page.items)?;
                Ok((page, names))
            });
            let (found, names) = found.await?;
            request.page(page, found, |group| group_json(&request, &group, &names))
        }
        NamePaging::Keyset { per_page, after } => {
            list_keyset_page(&request, filter, per_page, after).await
        }
    }
}

/// Answers with a page of keyset pagination, by name.
async fn list_keyset_page(
    request: &AsCaller<ReadApi>,
    filter: GroupFilter,
    per_page: u16,
    after: Option<NameCursor>,
) -> Result<HttpResponse, Failure> {
    let today = request.now().date();
    let page = KeysetPage::new(per_page, SortOrder::Ascending);
    let found = request.read(move |tx| {
        let after = after
            .as_ref()
            .map(|after| (&*after.name, NamespaceId::new(after.id)));
        let found = tx.list_groups_by_name(&filter, after, today, page)?;
        let names = full_names_of_groups(tx, &found.items)?;
        Ok((found, names))
    });
    let (found, names) = found.await?;
    let last = found.items.last().filter(|_| found.has_next);
    let last = last.map(|group| NameCursor {
        name: group.content.name.clone(),
        id: group.id.get(),
    });
    let headers = request.list_address().name_headers(last.as_ref());
    let groups = found
        .items
        .iter()
        .map(|group| group_json(request, group, &names));
    request.json_with(&groups.collect::<Vec<_>>(), headers)
}

async fn subgroups(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    list_in(request, GroupsWithin::ChildrenOf).await
}

async fn descendants(request: SeesGroup<ReadApi>) -> Result<HttpResponse, Failure> {
    list_in(request, GroupsWithin::Below).await
}

async fn list_in(
    request: SeesGroup<ReadApi>,
    within: fn(NamespaceId) -> GroupsWithin,
) -> Result<HttpResponse, Failure> {
    let unplaced = within(NamespaceId::new(0));
    let filter = read_filter(request.params(), request.viewer(), unplaced)?;
    let page = Paging::offset(request.params())?;
    let today = request.now().date();
    let found = request.read(move |tx, group, _| {
        let within = within(group.id);
        let found = tx.list_groups(&GroupFilter { within, ..filter }, today, page)?;
        let names = full_names_of_groups(tx, &found.items)?;
        Ok((found, names))
    });
    let (found, names) = found.await?;
    request.page(page, found, |group| group_json(&request, &group, &names))
}

pub(super) fn group_json(request: &ApiRequest, group: &Group, names: &FullNames) -> GroupJson {
    GroupJson::new(group, names, request.base_url())
}

/// Loads the names of one group.
pub(super) fn names_of(
    tx: &mut dyn ReadTransaction,
    group: &Group,
) -> Result<FullNames, StoreError> {
    full_names_of_groups(tx, std::slice::from_ref(group))
}

/// Builds the detailed JSON of a group.
pub(super) fn detail(request: &ApiRequest, group: &Group, names: &FullNames) -> GroupDetailJson {
    group_json(request, group, names).into()
}
