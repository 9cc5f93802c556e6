//! Filters of issue lists.
//! A filter that is not implemented is refused, because clients act on the content of a list.

use api_conventions::error::ApiError;
use api_conventions::ids::{IssueIid, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::params::{ParamReader, Params};
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use projects::{
    IssueFilter, IssueKind, IssueOrder, IssuePlace, IssueState, NotFilter, SearchIn, Viewer, Wanted,
};
use storage::StoreError;
use web_conventions::operations::Unbuilt;

use super::due::due;

/// Filters of the API that are not implemented.
pub(super) const UNBUILT: [Unbuilt; 12] = [
    Unbuilt::Flag("non_archived"),
    Unbuilt::Value("closed_by_id"),
    Unbuilt::Value("crm_contact_id"),
    Unbuilt::Value("crm_organization_id"),
    Unbuilt::Value("cursor"),
    Unbuilt::Value("epic_id"),
    Unbuilt::Value("health_status"),
    Unbuilt::Value("include_subepics"),
    Unbuilt::Value("iteration_id"),
    Unbuilt::Value("iteration_title"),
    Unbuilt::Value("my_reaction_emoji"),
    Unbuilt::Value("weight"),
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
pub(super) enum Scope {
    /// Issues created by the caller.
    Created,
    /// Issues assigned to the caller.
    Assigned,
    /// All issues.
    All,
}

impl Scope {
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
pub(super) struct AskedFilter {
    /// The place and the viewer are filled in by [`resolve`](Self::resolve).
    pub(super) filter: IssueFilter,
    scope: Scope,
    author: Option<String>,
    assignees: Vec<String>,
    not: NotNamed,
    pub(super) with_label_details: bool,
}

/// Usernames in the `not` filter.
#[derive(Debug, Clone, Default)]
struct NotNamed {
    author: Option<String>,
    assignee: Option<String>,
}

/// Id that no user has, for unknown usernames: it matches no issue.
const NOBODY: UserId = UserId::new(-1);

impl AskedFilter {
    /// Resolves the filter for a place and a viewer.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn resolve<T: ReadTransaction + ?Sized>(
        self,
        tx: &mut T,
        place: IssuePlace,
        viewer: Viewer,
    ) -> Result<IssueFilter, StoreError> {
        let mut filter = self.filter;
        (filter.place, filter.viewer) = (place, viewer);
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
            filter.assignees = Some(Wanted::Is(assignees?));
        }
        if let Some(name) = &self.not.author {
            filter.not.author = Some(user(name)?);
        }
        if let Some(name) = &self.not.assignee {
            filter.not.assignee = Some(user(name)?);
        }
        let me = viewer.user_id().unwrap_or(NOBODY);
        match self.scope {
            Scope::All => {}
            Scope::Created => {
                let is_other = filter.author.is_some_and(|id| id != me);
                filter.author = Some(if is_other { NOBODY } else { me });
            }
            Scope::Assigned => {
                let mut all = match filter.assignees.take() {
                    Some(Wanted::Is(users)) => users,
                    Some(Wanted::None) => vec![NOBODY],
                    Some(Wanted::Any) | None => Vec::new(),
                };
                all.push(me);
                filter.assignees = Some(Wanted::Is(all));
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
    scope: Scope,
    today: CalendarDate,
) -> Result<AskedFilter, ApiError> {
    let mut asked = read_filter(params, scope, today)?;
    let mut read = params.reader();
    let filter = &mut asked.filter;
    filter.order_by = read.word("order_by", IssueOrder::parse).unwrap_or_default();
    filter.sort = read.word("sort", SortOrder::parse).unwrap_or_default();
    asked.with_label_details = read.boolean("with_labels_details").unwrap_or_default();
    read.finish()?;
    Ok(asked)
}

/// Parses the filter of a request.
///
/// # Errors
/// 400 for invalid values, and for filters that are not implemented.
pub(super) fn read_filter(
    params: &Params,
    scope: Scope,
    today: CalendarDate,
) -> Result<AskedFilter, ApiError> {
    let mut read = params.reader();
    let place = IssuePlace::Project {
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
    let asked = AskedFilter {
        scope: read.word("scope", Scope::parse).unwrap_or(scope),
        author: text(&mut read, "author_username"),
        assignees: read.words("assignee_username", |name| Some(name.to_owned())),
        not: NotNamed::default(),
        with_label_details: false,
        filter,
    };
    if asked.filter.assignees.is_some() && !asked.assignees.is_empty() {
        read.fault(
            "assignee_username",
            "and assignee_id are mutually exclusive",
        );
    }
    read.finish()?;
    let (not, not_named) = read_not(params)?;
    Ok(AskedFilter {
        filter: IssueFilter {
            not,
            ..asked.filter
        },
        not: not_named,
        ..asked
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
) -> Option<Wanted<T>> {
    read.word(name, |word| match word {
        "None" | "none" => Some(Wanted::None),
        "Any" | "any" => Some(Wanted::Any),
        word => parse(word).map(Wanted::Is),
    })
}

fn labels(read: &mut ParamReader<'_>) -> Option<Wanted<Vec<String>>> {
    let titles = read.words("labels", |title| Some(title.to_owned()));
    match titles.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["None" | "none"] => Some(Wanted::None),
        ["Any" | "any"] => Some(Wanted::Any),
        _ => Some(Wanted::Is(titles)),
    }
}

/// Parses the milestone filter: a title, or None/Any, which `milestone_id` accepts too.
fn milestone(read: &mut ParamReader<'_>) -> Option<Wanted<String>> {
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
fn read_not(params: &Params) -> Result<(NotFilter, NotNamed), ApiError> {
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
    let named = NotNamed {
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

const UNBUILT_FILTER: &str = "is a filter that this server does not have: leave it out";
