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
use web_conventions::operations::{Answer, Kind, Operation, Pages, Parameter, get};

use super::parameters::{UNBUILT, filters, read_filter};
use crate::frame::api::{ApiRequest, AsAnybody};
use crate::frame::group::{GROUP, SeesGroup};
use crate::frame::scopes::Read;

const TAG: &str = "groups";

const CURSOR: Parameter = Parameter::query(
    "cursor",
    Kind::ANY_TEXT,
    "Where a list goes on that is walked with `pagination=keyset`, as the link to it says.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let page = || Answer::json::<Vec<GroupJson>>(200, "A page of the groups.");
    vec![
        get("listGroups", "/api/v4/groups", list)
            .documented(
                TAG,
                "List the groups of the caller, or all that the caller sees",
            )
            .takes(filters())
            .lacks(UNBUILT)
            .takes([CURSOR])
            .paged(Pages::OffsetAndKeyset)
            .answers(page()),
        get("listSubgroups", "/api/v4/groups/{id}/subgroups", subgroups)
            .documented(TAG, "List the groups directly in a group")
            .takes([GROUP])
            .takes(filters())
            .lacks(UNBUILT)
            .paged(Pages::Offset)
            .answers(page()),
        get(
            "listDescendantGroups",
            "/api/v4/groups/{id}/descendant_groups",
            descendants,
        )
        .documented(TAG, "List the groups in a group, at any depth")
        .takes([GROUP])
        .takes(filters())
        .lacks(UNBUILT)
        .paged(Pages::Offset)
        .answers(page()),
    ]
}

async fn list(asked: AsAnybody<Read>) -> Result<HttpResponse, Failure> {
    let viewer = *asked.who();
    let filter = read_filter(asked.params(), viewer, GroupsWithin::Everywhere)?;
    let max_offset = asked.settings().paging.max_offset;
    let is_anonymous = viewer == Viewer::Anonymous;
    match NamePaging::read(asked.params(), is_anonymous, max_offset)? {
        NamePaging::Offset(page) => {
            let today = asked.now().date();
            let found = asked.read(move |tx| {
                let page = tx.list_groups(&filter, today, page)?;
                let names = full_names_of_groups(tx, &page.items)?;
                Ok((page, names))
            });
            let (found, names) = found.await?;
            asked.page(page, found, |group| shown(&asked, &group, &names))
        }
        NamePaging::Keyset { per_page, after } => walk(&asked, filter, per_page, after).await,
    }
}

/// Answers with a page of keyset pagination, by name.
async fn walk(
    asked: &AsAnybody<Read>,
    filter: GroupFilter,
    per_page: u16,
    after: Option<NameCursor>,
) -> Result<HttpResponse, Failure> {
    let today = asked.now().date();
    let page = KeysetPage::new(per_page, SortOrder::Ascending);
    let found = asked.read(move |tx| {
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
    let headers = asked.list_address().name_headers(last.as_ref());
    let groups = found.items.iter().map(|group| shown(asked, group, &names));
    asked.json_with(&groups.collect::<Vec<_>>(), headers)
}

async fn subgroups(asked: SeesGroup<Read>) -> Result<HttpResponse, Failure> {
    list_in(asked, GroupsWithin::ChildrenOf).await
}

async fn descendants(asked: SeesGroup<Read>) -> Result<HttpResponse, Failure> {
    list_in(asked, GroupsWithin::Below).await
}

async fn list_in(
    asked: SeesGroup<Read>,
    within: fn(NamespaceId) -> GroupsWithin,
) -> Result<HttpResponse, Failure> {
    let unplaced = within(NamespaceId::new(0));
    let filter = read_filter(asked.params(), asked.viewer(), unplaced)?;
    let page = Paging::offset(asked.params())?;
    let today = asked.now().date();
    let found = asked.read(move |tx, group, _| {
        let within = within(group.id);
        let found = tx.list_groups(&GroupFilter { within, ..filter }, today, page)?;
        let names = full_names_of_groups(tx, &found.items)?;
        Ok((found, names))
    });
    let (found, names) = found.await?;
    asked.page(page, found, |group| shown(&asked, &group, &names))
}

pub(super) fn shown(asked: &ApiRequest, group: &Group, names: &FullNames) -> GroupJson {
    GroupJson::new(group, names, asked.base_url())
}

/// Loads the names of one group.
pub(super) fn names_of(
    tx: &mut dyn ReadTransaction,
    group: &Group,
) -> Result<FullNames, StoreError> {
    full_names_of_groups(tx, std::slice::from_ref(group))
}

/// Builds the detailed JSON of a group.
pub(super) fn detail(asked: &ApiRequest, group: &Group, names: &FullNames) -> GroupDetailJson {
    shown(asked, group, names).into()
}
