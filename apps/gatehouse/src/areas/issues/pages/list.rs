//! The list of issues.

use actix_web::HttpResponse;
use api_conventions::page::{SortOrder, Total};
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::rules::issues::project_scope;
use projects::{Issue, IssueCounts, IssueFilter, IssueKind, IssueOrder, IssueState};
use storage::{StoreError, StoreErrorKind};
use web_conventions::failure::Failure;
use web_conventions::operations::refuse_unsupported_filters;

use super::path_of;
use crate::areas::issues::filter::{IssueListScope, UNSUPPORTED_FILTERS, read_list};
use crate::areas::issues::view::IssuesWithRecords;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, grouped};
use crate::frame::page::list::{Choice, ListColumn, ListQuery, Pager, Tab, count, total};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;

/// Parameters that filter the list.
const NARROWING: [&str; 21] = [
    "search",
    "in",
    "labels",
    "milestone",
    "assignee_username",
    "assignee_id",
    "author_username",
    "author_id",
    "issue_type",
    "confidential",
    "scope",
    "iids",
    "due_date",
    "created_after",
    "created_before",
    "updated_after",
    "updated_before",
    "not[labels]",
    "not[milestone]",
    "not[author_id]",
    "not[assignee_id]",
];

/// Maximum number of labels in a row; an issue may have hundreds.
const MAX_LABELS: usize = 4;

/// A label with a link to the issues that have it.
pub(super) struct LabelLink {
    pub(super) title: DisplayName,
    pub(super) color: String,
    pub(super) href: String,
}

/// A row of the list.
struct IssueRow {
    number: String,
    title: DisplayName,
    path: String,
    state: Pill,
    marks: Vec<Pill>,
    labels: Vec<LabelLink>,
    more_labels: usize,
    author: DisplayName,
    created: DisplayTime,
    assignees: String,
    notes: String,
    due: String,
    is_late: bool,
    changed: DisplayTime,
}

#[derive(Template)]
#[template(path = "areas/issues/issue_list.html")]
struct IssueListPage {
    shell: Shell,
    title: &'static str,
    total: String,
    new: Option<String>,
    tabs: Vec<Tab>,
    query: ListQuery,
    types: Vec<Choice>,
    orders: Vec<Choice>,
    kept: Vec<(&'static str, String)>,
    is_narrowed: bool,
    clear: String,
    is_open_view: bool,
    changed: ListColumn,
    rows: Vec<IssueRow>,
    pager: Pager,
}

/// Answers with the list: the open issues, unless the address selects others.
pub(super) async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(page.request())?;
    // Links in texts use `label_name`, as in GitLab's pages.
    let names = ["label_name", "label_name[]", "labels", "labels[]"];
    let query = query.joined(&names, "labels")?;
    let (now, viewer) = (page.now(), page.viewer());
    let today = now.date();
    refuse_unsupported_filters(&UNSUPPORTED_FILTERS, query.params()).map_err(Failure::from)?;
    let mut unresolved =
        read_list(query.params(), IssueListScope::All, today).map_err(Failure::from)?;
    if query.text("state").is_empty() {
        unresolved.filter.state = Some(IssueState::Opened);
    }
    let paging = query.paging()?;
    let read = page.read(move |tx, found| {
        let place = project_scope(&found.project, found.access);
        let filter = unresolved.resolve(tx, place, viewer)?;
        let issues = tx.list_issues(&filter, today, paging)?;
        let counts = counts(tx, &filter, today)?;
        Ok((IssuesWithRecords::page(tx, issues)?, filter, counts))
    });
    let ((loaded, filter, counts), found) = read.await?;
    let (order_by, sort) = (filter.order_by.as_str(), filter.sort);
    let new = format!("{}/-/issues/new", found.path());
    let may_write = page.viewer().user_id().is_some() && !found.project.archived;
    let nothing = NARROWING.map(|name| (name, ""));
    let is_of_incidents = filter.kind == Some(IssueKind::Incident);
    let (section, title) = if is_of_incidents {
        (Section::Incidents, "Incidents")
    } else {
        (Section::Issues, "Issues")
    };
    page.show(&IssueListPage {
        shell: page.shell(&found, section, title),
        title,
        total: if is_of_incidents {
            total(loaded.issues.total, "incident", "incidents")
        } else {
            total(loaded.issues.total, "issue", "issues")
        },
        new: may_write.then_some(new),
        tabs: tabs(&query, filter.state, counts),
        types: Choice::all(IssueKind::NAMES, query.text("issue_type")),
        orders: Choice::all(IssueOrder::NAMES, order_by),
        kept: kept(&query),
        is_narrowed: query.has_any(&NARROWING) || query.has_any(&["not"]),
        clear: query.with(&nothing),
        is_open_view: filter.state == Some(IssueState::Opened),
        changed: ListColumn::new(
            &query,
            "Updated",
            "updated_at",
            SortOrder::Descending,
            order_by,
            sort,
        ),
        pager: Pager::new(&query, paging, &loaded.issues),
        rows: rows(&loaded, &query, &found, now),
        query,
    })
}

/// Parameters of the address that have no field in the filter form.
fn kept(query: &ListQuery) -> Vec<(&'static str, String)> {
    let fields = [
        "search",
        "labels",
        "milestone",
        "assignee_username",
        "issue_type",
    ];
    let mut names = vec!["state", "sort"];
    names.extend(NARROWING.iter().filter(|name| !fields.contains(name)));
    query.hidden_fields(&names)
}

/// Counts the matching issues by state; `None` if the count would exceed the work limit of a request.
fn counts(
    tx: &mut dyn ReadTransaction,
    filter: &IssueFilter,
    today: CalendarDate,
) -> Result<Option<IssueCounts>, StoreError> {
    let filter = IssueFilter {
        state: None,
        ..filter.clone()
    };
    match tx.count_issues(&filter, today) {
        Ok(counts) => Ok(Some(counts)),
        Err(error) if error.kind() == StoreErrorKind::TooMuchWork => Ok(None),
        Err(error) => Err(error),
    }
}

fn tabs(query: &ListQuery, current: Option<IssueState>, counts: Option<IssueCounts>) -> Vec<Tab> {
    let number = |of: fn(IssueCounts) -> u64| {
        count(counts.map_or(Total::Uncounted, |counts| Total::Exact(of(counts))))
    };
    let opened = number(|counts| counts.opened);
    let closed = number(|counts| counts.closed);
    let all = number(|counts| counts.opened + counts.closed);
    let views = [
        ("Open", "", Some(IssueState::Opened), opened),
        ("Closed", "closed", Some(IssueState::Closed), closed),
        ("All", "all", None, all),
    ];
    let tab = |(name, word, state, count)| Tab {
        name,
        href: query.with(&[("state", word)]),
        count,
        is_current: state == current,
    };
    views.map(tab).into()
}

fn rows(
    loaded: &IssuesWithRecords,
    query: &ListQuery,
    found: &ProjectContext,
    now: Timestamp,
) -> Vec<IssueRow> {
    let row = |issue| IssueRow::new(issue, loaded, query, found, now);
    loaded.issues.items.iter().map(row).collect()
}

/// Formats a date.
pub(super) fn day(date: CalendarDate) -> String {
    date.start().to_chrono().format("%-d %b %Y").to_string()
}

/// True if an open issue is past its due date.
pub(super) fn is_late(issue: &Issue, now: Timestamp) -> bool {
    let due = issue.body.content.due_date;
    issue.state() == IssueState::Opened && due.is_some_and(|due| due < now.date())
}

/// Marks of an issue besides its state.
pub(super) fn marks(issue: &Issue) -> Vec<Pill> {
    let content = &issue.body.content;
    let incident = (content.kind == IssueKind::Incident).then_some(Pill::INCIDENT);
    let confidential = content.confidential.then_some(Pill::CONFIDENTIAL);
    incident.into_iter().chain(confidential).collect()
}

impl IssueRow {
    fn new(
        issue: &Issue,
        loaded: &IssuesWithRecords,
        query: &ListQuery,
        found: &ProjectContext,
        now: Timestamp,
    ) -> Self {
        let body = &issue.body;
        let name = |id| loaded.users.get(id).map(|user| user.username.as_str());
        let labels = body.labels.iter().filter_map(|id| loaded.labels.get(id));
        let labels = labels.take(MAX_LABELS).map(|label| LabelLink {
            title: DisplayName::of(&label.content.title),
            color: label.content.color.clone(),
            href: query.with(&[("labels", &label.content.title)]),
        });
        let author = loaded.users.get(&issue.author_id);
        let first = body.assignees.iter().next().and_then(name);
        let others = body.assignees.len().saturating_sub(1);
        Self {
            number: issue.iid.to_string(),
            title: DisplayName::of(&body.content.title),
            path: path_of(found, issue.iid),
            state: issue.state().into(),
            marks: marks(issue),
            labels: labels.collect(),
            more_labels: body.labels.len().saturating_sub(MAX_LABELS),
            author: DisplayName::of(author.map_or("A deleted user", |user| &user.name)),
            created: DisplayTime::at(issue.created_at, now),
            assignees: match (first, others) {
                (None, _) => String::new(),
                (Some(name), 0) => format!("@{name}"),
                (Some(name), others) => format!("@{name} +{others}"),
            },
            notes: grouped(u64::try_from(issue.user_notes_count).unwrap_or_default()),
            due: body.content.due_date.map(day).unwrap_or_default(),
            is_late: is_late(issue, now),
            changed: DisplayTime::at(issue.updated_at, now),
        }
    }
}
