//! Filters of issue lists.
//! A filter that is not implemented is refused, because clients act on the content of a list.

use api_conventions::error::ApiError;
use api_conventions::ids::{IssueIid, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::params::{ParamReader, Params};
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use projects::{
    AttributeFilter, IssueFilter, IssueKind, IssueOrder, IssueScope, IssueState, NotFilter,
    SearchIn, Viewer,
};
use storage::StoreError;
use web_conventions::operations::UnsupportedFilter;

use super::due::due;

/// Filters of the API that are not implemented.
pub(super) const UNSUPPORTED_FILTERS: [UnsupportedFilter; 12] = [
    UnsupportedFilter::Flag("non_archived"),
    UnsupportedFilter::Value("closed_by_id"),
    UnsupportedFilter::Value("crm_contact_id"),
    UnsupportedFilter::Value("crm_organization_id"),
    UnsupportedFilter::Value("cursor"),
    UnsupportedFilter::Value("epic_id"),
    UnsupportedFilter::Value("health_status"),
    UnsupportedFilter::Value("include_subepics"),
    UnsupportedFilter::Value("iteration_id"),
    UnsupportedFilter::Value("iteration_title"),
    UnsupportedFilter::Value("my_reaction_emoji"),
    UnsupportedFilter::Value("weight"),
];
/// Fields of the `not` filter.
const NOT: [&str; 6] = [
    "labels",
    "milestone",
    "author_id",
    "author_username",
    "assignee_id",
    "assignee_username",
];
/// Fields that a search can cover.
pub(super) const PLACES: [&str; 2] = ["title", "description"];

/// Scope of an issue list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IssueListScope {
    /// Issues created by the caller.
    Created,
    /// Issues assigned to the caller.
    Assigned,
    /// All issues.
    All,
}

impl IssueListScope {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "created_by_me" | "created-by-me" => Some(Self::Created),
            "assigned_to_me" | "assigned-to-me" => Some(Self::Assigned),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

/// A filter whose usernames are not resolved yet.
#[derive(Debug, Clone)]
pub(super) struct UnresolvedFilter {
    /// The place and the viewer are filled in by [`resolve`](Self::resolve).
    pub(super) filter: IssueFilter,
    scope: IssueListScope,
    author: Option<String>,
    assignees: Vec<String>,
    not: ExcludedUsernames,
    pub(super) with_label_details: bool,
}

/// Usernames in the `not` filter.
#[derive(Debug, Clone, Default)]
struct ExcludedUsernames {
    author: Option<String>,
    assignee: Option<String>,
}

/// Id that no user has, for unknown usernames: it matches no issue.
const NOBODY: UserId = UserId::new(-1);

impl UnresolvedFilter {
    /// Resolves the filter for a place and a viewer.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn resolve<T: ReadTransaction + ?Sized>(
        self,
        tx: &mut T,
        place: IssueScope,
        viewer: Viewer,
    ) -> Result<IssueFilter, StoreError> {
        let mut filter = self.filter;
        (filter.scope, filter.viewer) = (place, viewer);
        let mut user = |name: &str| -> Result<UserId, StoreError> {
            let found = tx.find_user_by_username(name)?;
            Ok(found.map_or(NOBODY, |user| user.id))
        };
        if let Some(name) = &self.author {
            let author = user(name)?;
            let is_other = filter.author.is_some_and(|id| id != author);
            filter.author = Some(if is_other { NOBODY } else { author });
        }
        if !self.assignees.is_empty() {
            let assignees: Result<Vec<UserId>, _> =
                self.assignees.iter().map(|name| user(name)).collect();
            filter.assignees = Some(AttributeFilter::Is(assignees?));
        }
        if let Some(name) = &self.not.author {
            filter.not.author = Some(user(name)?);
        }
        if let Some(name) = &self.not.assignee {
            filter.not.assignee = Some(user(name)?);
        }
        let me = viewer.user_id().unwrap_or(NOBODY);
        match self.scope {
            IssueListScope::All => {}
            IssueListScope::Created => {
                let is_other = filter.author.is_some_and(|id| id != me);
                filter.author = Some(if is_other { NOBODY } else { me });
            }
            IssueListScope::Assigned => {
                let mut all = match filter.assignees.take() {
                    Some(AttributeFilter::Is(users)) => users,
                    Some(AttributeFilter::None) => vec![NOBODY],
                    Some(AttributeFilter::Any) | None => Vec::new(),
                };
                all.push(me);
                filter.assignees = Some(AttributeFilter::Is(all));
            }
        }
        Ok(filter)
    }
}

/// Parses the filter and the sort order of a list.
///
/// # Errors
/// As [`read_filter`].
pub(super) fn read_list(
    params: &Params,
    scope: IssueListScope,
    today: CalendarDate,
) -> Result<UnresolvedFilter, ApiError> {
    let mut unresolved = read_filter(params, scope, today)?;
    let mut read = params.reader();
    let filter = &mut unresolved.filter;
    filter.order_by = read.word("order_by", IssueOrder::parse).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    unresolved.with_label_details = read.boolean("with_labels_details").unwrap_or_default();
    read.finish()?;
    Ok(unresolved)
}

/// Parses the filter of a request.
///
/// # Errors
/// 400 for invalid values, and for filters that are not implemented.
pub(super) fn read_filter(
    params: &Params,
    scope: IssueListScope,
    today: CalendarDate,
) -> Result<UnresolvedFilter, ApiError> {
    let mut read = params.reader();
    let place = IssueScope::Project {
        id: ProjectId::new(0),
        sees_confidential: false,
    };
    let mut filter = IssueFilter::new(place, Viewer::Anonymous);
    filter.state = read
        .word("state", |word| match word {
            "all" => Some(None),
            word => IssueState::parse(word).map(Some),
        })
        .flatten();
    filter.iids = read.words("iids", |text| text.parse().ok().map(IssueIid::new));
    filter.labels = labels(&mut read);
    filter.milestone = milestone(&mut read);
    filter.author = read.integer("author_id").map(UserId::new);
    filter.assignees = one_of(&mut read, "assignee_id", |id| {
        id.parse().ok().map(|id| vec![UserId::new(id)])
    });
    filter.search = text(&mut read, "search");
    filter.search_in = search_in(&mut read);
    filter.confidential = read.boolean("confidential");
    filter.kind = read.word("issue_type", IssueKind::parse);
    filter.created_after = read.timestamp("created_after");
    filter.created_before = read.timestamp("created_before");
    filter.updated_after = read.timestamp("updated_after");
    filter.updated_before = read.timestamp("updated_before");
    filter.due = read.word("due_date", |word| due(word, today));
    let unresolved = UnresolvedFilter {
        scope: read.word("scope", IssueListScope::parse).unwrap_or(scope),
        author: text(&mut read, "author_username"),
        assignees: read.words("assignee_username", |name| Some(name.to_owned())),
        not: ExcludedUsernames::default(),
        with_label_details: false,
        filter,
    };
    if unresolved.filter.assignees.is_some() && !unresolved.assignees.is_empty() {
        read.fault(
            "assignee_username",
            "and assignee_id are mutually exclusive",
        );
    }
    read.finish()?;
    let (not, not_named) = read_not(params)?;
    Ok(UnresolvedFilter {
        filter: IssueFilter {
            not,
            ..unresolved.filter
        },
        not: not_named,
        ..unresolved
    })
}

fn text(read: &mut ParamReader<'_>, name: &str) -> Option<String> {
    read.text(name).filter(|text| !text.is_empty())
}

/// Parses `None`, `Any`, or a value by means of `parse`.
fn one_of<T>(
    read: &mut ParamReader<'_>,
    name: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Option<AttributeFilter<T>> {
    read.word(name, |word| match word {
        "None" | "none" => Some(AttributeFilter::None),
        "Any" | "any" => Some(AttributeFilter::Any),
        word => parse(word).map(AttributeFilter::Is),
    })
}

fn labels(read: &mut ParamReader<'_>) -> Option<AttributeFilter<Vec<String>>> {
    let titles = read.words("labels", |title| Some(title.to_owned()));
    match titles.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["None" | "none"] => Some(AttributeFilter::None),
        ["Any" | "any"] => Some(AttributeFilter::Any),
        _ => Some(AttributeFilter::Is(titles)),
    }
}

/// Parses the milestone filter: a title, or None/Any, which `milestone_id` accepts too.
fn milestone(read: &mut ParamReader<'_>) -> Option<AttributeFilter<String>> {
    let titled = one_of(read, "milestone", |title| {
        let is_built = !matches!(title, "Upcoming" | "Started");
        is_built.then(|| title.to_owned())
    });
    let some = one_of(read, "milestone_id", |_| None);
    if titled.is_some() && some.is_some() {
        read.fault("milestone_id", "and milestone are mutually exclusive");
    }
    titled.or(some)
}

fn search_in(read: &mut ParamReader<'_>) -> SearchIn {
    let places = read.words("in", |word| PLACES.into_iter().find(|place| *place == word));
    if places.is_empty() {
        return SearchIn::default();
    }
    SearchIn {
        title: places.contains(&"title"),
        description: places.contains(&"description"),
    }
}

/// Parses the `not` filter.
fn read_not(params: &Params) -> Result<(NotFilter, ExcludedUsernames), ApiError> {
    let Some(nested) = params.nested("not")? else {
        return Ok(Default::default());
    };
    let mut read = nested.reader();
    let not = NotFilter {
        labels: read.words("labels", |title| Some(title.to_owned())),
        milestone: text(&mut read, "milestone"),
        author: read.integer("author_id").map(UserId::new),
        assignee: read.integer("assignee_id").map(UserId::new),
    };
    let named = ExcludedUsernames {
        author: text(&mut read, "author_username"),
        assignee: text(&mut read, "assignee_username"),
    };
    if not.author.is_some() && named.author.is_some() {
        read.fault(
            "not[author_username]",
            "and not[author_id] are mutually exclusive",
        );
    }
    if not.assignee.is_some() && named.assignee.is_some() {
        read.fault(
            "not[assignee_username]",
            "and not[assignee_id] are mutually exclusive",
        );
    }
    for name in nested.names().filter(|name| !NOT.contains(name)) {
        read.fault(&format!("not[{name}]"), UNBUILT_FILTER);
    }
    read.finish()?;
    Ok((not, named))
}

const UNBUILT_FILTER: &str = "is a filter that this server does not support: leave it out";
