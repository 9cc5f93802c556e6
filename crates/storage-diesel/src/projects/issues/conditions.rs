//! Conditions of the queries that list issues, as text.
//!
//! Numbers are in the text, so that the planner sees the values; texts from users are bound.

use ::projects::{
    AttributeFilter, DueFilter, IssueFilter, IssueOrder, IssueScope, IssueState, Viewer,
};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::UserId;
use api_conventions::time::{CalendarDate, Timestamp};

use crate::search::pattern;

/// Statement with the texts that are bound to `$1`, `$2` and so on.
#[derive(Debug, Default)]
pub(crate) struct IssueStatement {
    pub(super) text: String,
    pub(super) binds: Vec<String>,
}

impl IssueStatement {
    /// Binds a text, and returns its placeholder.
    pub(super) fn bind(&mut self, text: impl Into<String>) -> String {
        self.binds.push(text.into());
        format!("${}", self.binds.len())
    }
}

/// Returns the condition that a user has at least a role in the project `p` on a day, direct, inherited or through a
/// share.
/// The project is searched among the user's groups, not among the projects in them, which may be very many.
pub(super) fn has_role(user: UserId, least: AccessLevel, today: CalendarDate) -> String {
    let (least, day) = (least.number(), today.as_days());
    let holds = format!(
        "m.user_id = {user} AND m.access_level >= {least} AND (m.expires_on IS NULL OR m.expires_on > {day})"
    );
    let inherited =
        "namespace_members AS m JOIN namespace_lineage AS l ON l.ancestor_id = m.namespace_id";
    format!(
        "(p.namespace_id IN (SELECT l.namespace_id FROM {inherited} WHERE {holds}) \
         OR p.id IN (SELECT m.project_id FROM project_members AS m WHERE {holds}) \
         OR p.id IN (SELECT s.project_id FROM {inherited} JOIN project_shares AS s ON s.group_id = l.namespace_id \
         WHERE {holds} AND s.access_level >= {least} AND (s.expires_on IS NULL OR s.expires_on > {day})))"
    )
}

/// Returns the condition that the viewer sees the project `p`, and that it is not pending deletion.
pub(super) fn sees_project(viewer: Viewer, today: CalendarDate) -> String {
    match viewer {
        Viewer::Administrator(_) => "p.deletion_id IS NULL".to_owned(),
        Viewer::Anonymous => format!(
            "p.deletion_id IS NULL AND p.visibility = {}",
            Visibility::Public.number()
        ),
        Viewer::User(user) => format!(
            "p.deletion_id IS NULL AND (p.visibility >= {} OR {})",
            Visibility::Internal.number(),
            has_role(user, AccessLevel::Guest, today)
        ),
    }
}

/// Selects the ids of the projects of a group that the viewer sees.
pub(super) fn projects_of_group(group: i64, filter: &IssueFilter, today: CalendarDate) -> String {
    format!(
        "SELECT p.id FROM namespace_lineage AS l JOIN projects AS p ON p.namespace_id = l.namespace_id \
         WHERE l.ancestor_id = {group} AND {}",
        sees_project(filter.viewer, today)
    )
}

/// Returns the conditions that the issue `i` is in the place of the list, and that the viewer sees it there.
fn place(filter: &IssueFilter, today: CalendarDate) -> Vec<String> {
    let (place, sees_all) = match filter.scope {
        IssueScope::Project {
            id,
            sees_confidential,
        } => (format!("i.project_id = {id}"), sees_confidential),
        IssueScope::Group(id) => {
            let projects = projects_of_group(id.get(), filter, today);
            (format!("i.project_id IN ({projects})"), false)
        }
        IssueScope::Everywhere => {
            let sees = sees_project(filter.viewer, today);
            let project =
                format!("SELECT 1 FROM projects AS p WHERE p.id = i.project_id AND {sees}");
            (format!("EXISTS ({project})"), false)
        }
    };
    let is_in_project = matches!(filter.scope, IssueScope::Project { .. });
    let confidential = match filter.viewer {
        _ if sees_all => None,
        Viewer::Administrator(_) => None,
        Viewer::Anonymous => Some("NOT i.confidential".to_owned()),
        Viewer::User(user) => {
            let role = has_role(user, AccessLevel::Reporter, today);
            let by_role = if is_in_project {
                String::new()
            } else {
                format!(
                    " OR EXISTS (SELECT 1 FROM projects AS p WHERE p.id = i.project_id AND {role})"
                )
            };
            Some(format!(
                "(NOT i.confidential OR i.author_id = {user} OR {}{by_role})",
                assigned(user)
            ))
        }
    };
    std::iter::once(place).chain(confidential).collect()
}

fn assigned(user: UserId) -> String {
    format!(
        "EXISTS (SELECT 1 FROM issue_assignees AS a WHERE a.issue_id = i.id AND a.user_id = {user})"
    )
}

/// Returns the condition that the issue has the label with this title.
/// In a single project that is one label, which is looked up once; otherwise each project has its own.
fn labelled(place: IssueScope, title: &str) -> String {
    match place {
        IssueScope::Project { id, .. } => format!(
            "EXISTS (SELECT 1 FROM issue_labels AS il WHERE il.issue_id = i.id AND il.label_id = \
             (SELECT l.id FROM labels AS l WHERE l.project_id = {id} AND l.title = {title}))"
        ),
        IssueScope::Group(_) | IssueScope::Everywhere => format!(
            "EXISTS (SELECT 1 FROM issue_labels AS il JOIN labels AS l ON l.id = il.label_id \
             WHERE il.issue_id = i.id AND l.title = {title})"
        ),
    }
}

fn titled(title: &str) -> String {
    format!("SELECT 1 FROM milestones AS m WHERE m.id = i.milestone_id AND m.title = {title}")
}

/// Returns all conditions of a list on the issue `i`, and binds their texts.
pub(super) fn conditions(
    filter: &IssueFilter,
    today: CalendarDate,
    statement: &mut IssueStatement,
) -> String {
    let mut all = place(filter, today);
    all.extend(state(filter.state));
    if !filter.iids.is_empty() {
        all.push(format!("i.iid IN ({})", iids(filter)));
    }
    all.extend(filter.author.map(|user| format!("i.author_id = {user}")));
    all.extend(assignees(filter));
    all.extend(labels(filter, statement));
    all.extend(milestone(filter, statement));
    all.extend(search(filter, statement));
    all.extend(filter.confidential.map(|wanted| {
        let not = if wanted { "" } else { "NOT " };
        format!("{not}i.confidential")
    }));
    all.extend(
        filter
            .kind
            .map(|kind| format!("i.kind = {}", kind.number())),
    );
    all.extend(range(
        "i.created_at",
        filter.created_after,
        filter.created_before,
    ));
    all.extend(range(
        "i.updated_at",
        filter.updated_after,
        filter.updated_before,
    ));
    all.extend(filter.due.map(due));
    all.extend(excluded(filter, statement));
    all.join(" AND ")
}

pub(super) fn state(state: Option<IssueState>) -> Option<String> {
    state.map(|state| format!("i.state = {}", state.number()))
}

pub(super) fn iids(filter: &IssueFilter) -> String {
    let numbers: Vec<String> = filter.iids.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

fn assignees(filter: &IssueFilter) -> Vec<String> {
    let any = "EXISTS (SELECT 1 FROM issue_assignees AS a WHERE a.issue_id = i.id)";
    match &filter.assignees {
        None => Vec::new(),
        Some(AttributeFilter::None) => vec![format!("NOT {any}")],
        Some(AttributeFilter::Any) => vec![any.to_owned()],
        Some(AttributeFilter::Is(users)) => users.iter().copied().map(assigned).collect(),
    }
}

fn labels(filter: &IssueFilter, statement: &mut IssueStatement) -> Vec<String> {
    let any = "EXISTS (SELECT 1 FROM issue_labels AS il WHERE il.issue_id = i.id)";
    match &filter.labels {
        None => Vec::new(),
        Some(AttributeFilter::None) => vec![format!("NOT {any}")],
        Some(AttributeFilter::Any) => vec![any.to_owned()],
        Some(AttributeFilter::Is(titles)) => {
            let titles = titles.iter();
            titles
                .map(|title| labelled(filter.scope, &statement.bind(title)))
                .collect()
        }
    }
}

fn milestone(filter: &IssueFilter, statement: &mut IssueStatement) -> Vec<String> {
    let id = filter
        .milestone_id
        .map(|id| format!("i.milestone_id = {id}"));
    let title = filter.milestone.as_ref().map(|wanted| match wanted {
        AttributeFilter::None => "i.milestone_id IS NULL".to_owned(),
        AttributeFilter::Any => "i.milestone_id IS NOT NULL".to_owned(),
        AttributeFilter::Is(title) => format!("EXISTS ({})", titled(&statement.bind(title))),
    });
    id.into_iter().chain(title).collect()
}

fn search(filter: &IssueFilter, statement: &mut IssueStatement) -> Option<String> {
    let text = pattern(filter.search.as_ref()?);
    let mut places = Vec::new();
    if filter.search_in.title {
        places.push("i.title");
    }
    if filter.search_in.description {
        places.push("coalesce(i.description, '')");
    }
    let holds = places.into_iter().map(|place| {
        let text = statement.bind(&text);
        format!("lower({place}) LIKE lower({text}) ESCAPE '\\'")
    });
    let holds: Vec<String> = holds.collect();
    Some(format!("({})", holds.join(" OR ")))
}

fn range(column: &str, first: Option<Timestamp>, last: Option<Timestamp>) -> Vec<String> {
    let first = first.map(|first| format!("{column} >= {}", first.as_micros()));
    let last = last.map(|last| format!("{column} <= {}", last.as_micros()));
    first.into_iter().chain(last).collect()
}

fn due(due: DueFilter) -> String {
    match due {
        DueFilter::None => "i.due_date IS NULL".to_owned(),
        DueFilter::Any => "i.due_date IS NOT NULL".to_owned(),
        DueFilter::Between(first, last) => {
            let days = due_between("i.due_date", first, last);
            format!("i.due_date IS NOT NULL{days}")
        }
    }
}

/// Returns the further condition that a day is between two days, both included.
pub(super) fn due_between(
    column: &str,
    first: Option<CalendarDate>,
    last: Option<CalendarDate>,
) -> String {
    let first = first.map(|day| format!(" AND {column} >= {}", day.as_days()));
    let last = last.map(|day| format!(" AND {column} <= {}", day.as_days()));
    let [first, last] = [first, last].map(Option::unwrap_or_default);
    format!("{first}{last}")
}

fn excluded(filter: &IssueFilter, statement: &mut IssueStatement) -> Vec<String> {
    let not = &filter.not;
    let labels = not.labels.iter();
    let mut all: Vec<String> = labels
        .map(|title| format!("NOT {}", labelled(filter.scope, &statement.bind(title))))
        .collect();
    if let Some(title) = &not.milestone {
        all.push(format!("NOT EXISTS ({})", titled(&statement.bind(title))));
    }
    all.extend(not.author.map(|user| format!("i.author_id <> {user}")));
    all.extend(not.assignee.map(|user| format!("NOT {}", assigned(user))));
    all
}

/// Returns the conditions that an index gives together with the order: the project, the state, and a range of the
/// order's key.
pub(super) fn of_index(filter: &IssueFilter) -> String {
    let project = match filter.scope {
        IssueScope::Project { id, .. } => {
            let place = format!("i.project_id = {id}");
            std::iter::once(place).chain(state(filter.state)).collect()
        }
        IssueScope::Group(_) | IssueScope::Everywhere => Vec::new(),
    };
    let range = match filter.order_by {
        IssueOrder::UpdatedAt => range("i.updated_at", filter.updated_after, filter.updated_before),
        _ => range("i.created_at", filter.created_after, filter.created_before),
    };
    let all: Vec<String> = project.into_iter().chain(range).collect();
    if all.is_empty() {
        return "TRUE".to_owned();
    }
    all.join(" AND ")
}

/// True if the index of the order covers the list exactly.
pub(super) fn is_indexed(filter: &IssueFilter) -> bool {
    let is_created = filter.created_after.is_some() || filter.created_before.is_some();
    let is_updated = filter.updated_after.is_some() || filter.updated_before.is_some();
    let is_in_order = match filter.order_by {
        IssueOrder::CreatedAt => !is_updated,
        IssueOrder::UpdatedAt => !is_created,
        IssueOrder::DueDate | IssueOrder::Title => false,
    };
    let sees_all = match filter.scope {
        IssueScope::Project {
            sees_confidential, ..
        } => sees_confidential,
        IssueScope::Everywhere => {
            matches!(filter.viewer, Viewer::Administrator(_)) && filter.state.is_none()
        }
        IssueScope::Group(_) => false,
    };
    is_in_order && sees_all && is_plain(filter)
}

/// True if a list has no conditions except its place, its state and the times of its issues.
fn is_plain(filter: &IssueFilter) -> bool {
    let plain = IssueFilter {
        state: filter.state,
        created_after: filter.created_after,
        created_before: filter.created_before,
        updated_after: filter.updated_after,
        updated_before: filter.updated_before,
        order_by: filter.order_by,
        sort: filter.sort,
        ..IssueFilter::new(filter.scope, filter.viewer)
    };
    *filter == plain
}
