//! Member list with the form to add a member, and the groups with which a project is shared.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::access::AccessLevel;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::UserId;
use api_conventions::page::{OffsetPage, Page, Total};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::members::{ListedMember, list};
use projects::flow::groups::find_visible_group;
use projects::flow::members::{find_member, is_last_owner};
use projects::rules::members::name_of;
use projects::{MemberFilter, MemberScope, ProjectShare, Viewer};
use storage::StoreError;

use super::fields::{MEMBER, MemberFormErrors, MemberFormValues, SHARE, roles, word_of};
use super::place::MembersPlace;
use super::source::{RoleOrigin, RoleOrigins};
use super::tokens;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::group::path_of_group;
use crate::frame::page::list::{Choice, ListQuery, Pager, Tab, count, total};
use crate::frame::page::place::PlacePage;
use crate::frame::page::project::{CanView, Need};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// A row of the list.
struct MemberRow {
    name: DisplayName,
    username: String,
    role: &'static str,
    source: RoleOrigin,
    expires: String,
    since: DisplayTime,
    /// Path of the role form, for visitors who may change the role.
    edit: Option<String>,
    is_self: bool,
}

/// A group with which the project is shared.
struct ShareRow {
    group: DisplayName,
    path: String,
    role: &'static str,
    expires: String,
    since: DisplayTime,
    /// Path for ending the share.
    action: String,
}

/// A form that gives a role.
struct GrantForm {
    action: String,
    written: MemberFormValues,
    roles: Vec<Choice>,
    wrong: MemberFormErrors,
}

#[derive(Template)]
#[template(path = "areas/members/member_list.html")]
struct MemberListPage {
    shell: Shell,
    kind: &'static str,
    total: String,
    tabs: Vec<Tab>,
    search: String,
    view: String,
    clear: String,
    rows: Vec<MemberRow>,
    pager: Pager,
    add: Option<GrantForm>,
    /// Groups with which a project is shared.
    shares: Option<Vec<ShareRow>>,
    share: Option<GrantForm>,
    /// Path for leaving, for visitors who may.
    leave: Option<String>,
    /// Path of the access tokens, for visitors who manage them.
    tokens: Option<String>,
}

/// Submitted values of the page's forms, with their validation failures.
#[derive(Debug, Default)]
pub(super) struct SubmittedMemberForms {
    /// Values of the member form.
    pub(super) member: Option<MemberFormValues>,
    /// Values of the share form.
    pub(super) share: Option<MemberFormValues>,
    /// Validation failures by field.
    pub(super) failures: ValidationFailures,
}

/// Parameters of the list.
struct MemberListQuery {
    scope: MemberScope,
    search: Option<String>,
    page: OffsetPage,
    viewer: Viewer,
    now: Timestamp,
}

/// Data of the page.
struct MemberListData {
    members: Page<ListedMember>,
    sources: Vec<RoleOrigin>,
    /// Number of members in the other view.
    others: Total,
    shares: Option<Vec<(ProjectShare, DisplayName, String)>>,
    /// True if the visitor may leave.
    leaves: bool,
}

/// Answers with the list of members.
pub(super) async fn show<P: MembersPlace>(
    page: PlacePage<P, CanView>,
) -> Result<HttpResponse, PageFailure> {
    answer(&page, SubmittedMemberForms::default()).await
}

/// Answers with the list, and with the validation failures of one of its forms.
pub(super) async fn answer<P: MembersPlace, N: Need>(
    page: &PlacePage<P, N>,
    submitted: SubmittedMemberForms,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    let params = MemberListQuery::of(&query, page.viewer(), page.now())?;
    let (paging, scope) = (params.page, params.scope);
    let read = page.read(move |tx, found| Ok(MemberListData::of::<P>(tx, found, &params)?));
    let (data, found) = read.await?;
    let status = if submitted.failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let query = query.with_path(&P::list(&found));
    let manages = P::manages(&found);
    let content = MemberListPage {
        shell: page.shell(&found, Section::Members, "Members"),
        kind: P::KIND,
        total: total(data.members.total, "member", "members"),
        tabs: tabs(&query, scope, data.members.total, data.others),
        search: query.text("search").to_owned(),
        view: query.text("view").to_owned(),
        clear: query.with(&[("search", "")]),
        pager: Pager::new(&query, paging, &data.members),
        leave: data
            .leaves
            .then(|| own_path::<P>(&found, page.viewer()))
            .flatten(),
        tokens: manages.then(|| tokens::path::<P>(&found)),
        add: manages.then(|| GrantForm::member::<P>(&found, &submitted)),
        share: (manages && data.shares.is_some())
            .then(|| GrantForm::share::<P>(&found, &submitted)),
        rows: data.rows::<P>(&found, page.viewer(), page.now()),
        shares: data.shares.map(|shares| {
            let shares = shares.into_iter();
            shares
                .map(|(share, group, path)| {
                    ShareRow::new(share, group, path, &P::path(&found), page.now())
                })
                .collect()
        }),
    };
    page.show_with(status, &content)
}

impl MemberListQuery {
    fn of(query: &ListQuery, viewer: Viewer, now: Timestamp) -> Result<Self, PageFailure> {
        let search = query.text("search");
        let is_direct = query.text("view") == "direct";
        Ok(Self {
            scope: if is_direct {
                MemberScope::Direct
            } else {
                MemberScope::All
            },
            search: (!search.is_empty()).then(|| search.to_owned()),
            page: query.paging()?,
            viewer,
            now,
        })
    }
}

impl MemberListData {
    fn of<P: MembersPlace>(
        tx: &mut dyn ReadTransaction,
        found: &P::Context,
        params: &MemberListQuery,
    ) -> Result<Self, StoreError> {
        let (of, today) = (P::members_of(found), params.now.date());
        let place = of.source();
        let search = params.search.as_deref();
        let filter = MemberFilter::default;
        let members = list(
            tx,
            place,
            params.scope,
            filter(),
            search,
            today,
            params.page,
        )?;
        let other = match params.scope {
            MemberScope::Direct => MemberScope::All,
            MemberScope::All => MemberScope::Direct,
        };
        let one = OffsetPage::new(1, 1);
        let others = list(tx, place, other, filter(), search, today, one)?.total;
        let above = P::above(tx, found)?;
        let mut from = RoleOrigins::new(&above, params.viewer, params.now);
        let mut sources = Vec::with_capacity(members.items.len());
        for listed in &members.items {
            sources.push(from.of(tx, &listed.member, place)?);
        }
        let shares = P::shares(tx, found, today)?;
        let shares = shares.map(|shares| seen(tx, shares, params)).transpose()?;
        let leaves = match params.viewer.user_id() {
            Some(user) => leaves::<P>(tx, found, user, params.now)?,
            None => false,
        };
        Ok(Self {
            members,
            sources,
            others,
            shares,
            leaves,
        })
    }

    fn rows<P: MembersPlace>(
        &self,
        found: &P::Context,
        viewer: Viewer,
        now: Timestamp,
    ) -> Vec<MemberRow> {
        let (place, manages) = (P::members_of(found).source(), P::manages(found));
        let list = P::list(found);
        let row = |(listed, source): (&ListedMember, &RoleOrigin)| {
            let (member, user) = (&listed.member, &listed.user);
            let may = manages && member.source == place && P::may(found, member.level);
            MemberRow {
                name: DisplayName::of(&user.name),
                username: user.username.as_str().to_owned(),
                role: name_of(member.level),
                source: source.clone(),
                expires: member.expires_on.map(day).unwrap_or_default(),
                since: DisplayTime::at(member.created_at, now),
                edit: may.then(|| format!("{list}/{}/edit", user.id)),
                is_self: viewer.user_id() == Some(user.id),
            }
        };
        self.members
            .items
            .iter()
            .zip(&self.sources)
            .map(row)
            .collect()
    }
}

/// Filters the shares to groups that the visitor can view, as the API does.
fn seen(
    tx: &mut dyn ReadTransaction,
    shares: Vec<ProjectShare>,
    params: &MemberListQuery,
) -> Result<Vec<(ProjectShare, DisplayName, String)>, StoreError> {
    let mut seen = Vec::new();
    for share in shares {
        let group = NamespaceRef::Id(share.group_id);
        if let Some((group, _)) = find_visible_group(tx, &group, params.viewer, params.now)? {
            let path = group.full_path.as_str();
            seen.push((share, DisplayName::of(path), path_of_group(path)));
        }
    }
    Ok(seen)
}

/// True if the user has a direct role here and may give it up.
fn leaves<P: MembersPlace>(
    tx: &mut dyn ReadTransaction,
    found: &P::Context,
    user: UserId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let of = P::members_of(found);
    let own = find_member(tx, of, MemberScope::Direct, user, now);
    match own {
        Ok(member) => Ok(!is_last_owner(tx, of, &member)?),
        Err(projects::flow::members::MemberError::Store(error)) => Err(error),
        Err(_) => Ok(false),
    }
}

fn own_path<P: MembersPlace>(found: &P::Context, viewer: Viewer) -> Option<String> {
    let user = viewer.user_id()?;
    Some(format!("{}/{user}", P::list(found)))
}

fn tabs(query: &ListQuery, scope: MemberScope, shown: Total, others: Total) -> Vec<Tab> {
    let tab = |name, word, of| Tab {
        name,
        href: query.with(&[("view", word)]),
        count: count(if of == scope { shown } else { others }),
        is_current: of == scope,
    };
    vec![
        tab("All", "", MemberScope::All),
        tab("Direct", "direct", MemberScope::Direct),
    ]
}

impl GrantForm {
    fn member<P: MembersPlace>(found: &P::Context, submitted: &SubmittedMemberForms) -> Self {
        let written = submitted.member.clone();
        let wrong = written
            .as_ref()
            .map(|_| MemberFormErrors::new(&submitted.failures, &MEMBER));
        Self::new::<P>(found, P::list(found), written, wrong)
    }

    fn share<P: MembersPlace>(found: &P::Context, submitted: &SubmittedMemberForms) -> Self {
        let written = submitted.share.clone();
        let wrong = written
            .as_ref()
            .map(|_| MemberFormErrors::new(&submitted.failures, &SHARE));
        let action = format!("{}/-/group_links", P::path(found));
        Self::new::<P>(found, action, written, wrong)
    }

    fn new<P: MembersPlace>(
        found: &P::Context,
        action: String,
        written: Option<MemberFormValues>,
        wrong: Option<MemberFormErrors>,
    ) -> Self {
        let written = written.unwrap_or_else(|| MemberFormValues {
            level: word_of(AccessLevel::Guest).to_owned(),
            ..MemberFormValues::default()
        });
        Self {
            action,
            roles: roles(|level| P::may(found, level), &written.level),
            written,
            wrong: wrong.unwrap_or_default(),
        }
    }
}

impl ShareRow {
    fn new(
        share: ProjectShare,
        group: DisplayName,
        path: String,
        project: &str,
        now: Timestamp,
    ) -> Self {
        Self {
            group,
            path,
            role: name_of(share.level),
            expires: share.expires_on.map(day).unwrap_or_default(),
            since: DisplayTime::at(share.created_at, now),
            action: format!("{project}/-/group_links/{}", share.group_id),
        }
    }
}

/// Formats a date.
pub(super) fn day(date: CalendarDate) -> String {
    date.start().to_chrono().format("%-d %b %Y").to_string()
}
