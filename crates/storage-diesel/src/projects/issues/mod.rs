//! Issues of projects.

mod conditions;
mod list;
mod repository;
mod rows;
mod totals;

use ::projects::{
    Issue, IssueCounters, IssueCounts, IssueFilter, IssueOrder, IssueQueries, IssueScope,
    IssueState, Label, OpenIssues, ProjectMilestone,
};
use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::CalendarDate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, SmallInt, Text};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::labels::{LabelRow, labels};
use super::limits::{LimitRow, NumberRow};
use super::milestones::{MilestoneRow, milestones};
use crate::capped_count::count_of;
use crate::rows::RowReader;
use crate::transaction::{Backend, row_limit};
use crate::window::Window;
use conditions::{IssueStatement, is_indexed};
use list::{CandidateIssues, EXAMINED, IssueListBound, scopes, too_much};
use rows::{IssueRow, complete};
pub(super) use rows::{issue_assignees, issue_labels, issues};
use totals::{CountedList, TotalBounds};

/// Name of the operation in the errors of a list.
const LIST: &str = "list issues";

/// Number of issues with a label and a state.
#[derive(Debug, diesel::QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    label: i64,
    #[diesel(sql_type = SmallInt)]
    state: i16,
    #[diesel(sql_type = BigInt)]
    number: i64,
}

impl CountRow {
    fn add_to(&self, counts: &mut IssueCounts) -> Result<(), StoreError> {
        let row = RowReader::new("issues", self.label);
        let state = IssueState::from_number(self.state);
        let number = count_of(self.number);
        match row.require(state, "unknown state")? {
            IssueState::Opened => counts.opened += number,
            IssueState::Closed => counts.closed += number,
        }
        Ok(())
    }
}

/// Returns the counts of labels.
/// Rows of one label need not be adjacent.
fn by_label(rows: &[CountRow]) -> Result<Vec<(LabelId, IssueCounts)>, StoreError> {
    let mut all = std::collections::BTreeMap::<LabelId, IssueCounts>::new();
    for row in rows {
        row.add_to(all.entry(LabelId::new(row.label)).or_default())?;
    }
    Ok(all.into_iter().collect())
}

#[for_each_database(dialect = crate::projects)]
mod database {
    impl ReadTx<'_> {
        fn issue_rows<T>(&mut self, statement: IssueStatement) -> Result<Vec<T>, StoreError>
        where
            T: QueryableByName<Backend<Self>> + 'static,
        {
            let text = dialect::placeholders(&statement.text);
            let mut query = diesel::sql_query(text).into_boxed::<Backend<Self>>();
            for text in statement.binds {
                query = query.bind::<Text, _>(text);
            }
            self.values(LIST, query)
        }

        fn issue_numbers(&mut self, statement: IssueStatement) -> Result<Vec<i64>, StoreError> {
            let rows: Vec<NumberRow> = self.issue_rows(statement)?;
            Ok(rows.into_iter().map(|row| row.number).collect())
        }

        fn issue_number(&mut self, statement: IssueStatement) -> Result<i64, StoreError> {
            let numbers = self.issue_numbers(statement)?;
            Ok(numbers.first().copied().unwrap_or_default())
        }

        /// Returns the bound of a list of issues.
        fn issue_bound(
            &mut self,
            filter: &IssueFilter,
            today: CalendarDate,
        ) -> Result<IssueListBound, StoreError> {
            if is_indexed(filter) {
                return Ok(IssueListBound::None);
            }
            for scope in scopes(filter) {
                let count = list::count_scope(scope, filter, today);
                if self.issue_number(count)? <= EXAMINED {
                    return Ok(IssueListBound::Within(scope));
                }
            }
            match filter.order_by {
                IssueOrder::CreatedAt | IssueOrder::UpdatedAt => {
                    let limit: Vec<LimitRow> = self.issue_rows(list::limit(filter))?;
                    let limit = limit.into_iter().next();
                    Ok(limit.map_or(IssueListBound::None, |row| {
                        IssueListBound::Before(row.into())
                    }))
                }
                IssueOrder::DueDate | IssueOrder::Title => Err(too_much()),
            }
        }

        /// Returns the issue counters of a project; zeros if it does not exist.
        fn issue_counters(&mut self, project: ProjectId) -> Result<IssueCounters, StoreError> {
            use crate::projects::tables::projects as of;
            let kept = of::table.find(project.get()).select((
                of::open_issues,
                of::open_confidential_issues,
                of::closed_issues,
                of::closed_confidential_issues,
            ));
            let kept: Option<(i64, i64, i64, i64)> = self.value_if("count issues", kept)?;
            let (open, open_confidential, closed, closed_confidential) = kept.unwrap_or_default();
            Ok(IssueCounters {
                open,
                open_confidential,
                closed,
                closed_confidential,
            })
        }

        /// Returns the total of a list up to the limit of totals, if it is known without reading issues.
        fn known_total(
            &mut self,
            filter: &IssueFilter,
            today: CalendarDate,
        ) -> Result<Option<i64>, StoreError> {
            let total_bounds = match CountedList::of(filter) {
                None => return Ok(None),
                Some(CountedList::Project(project)) => {
                    let kept = self.issue_counters(project)?;
                    let counts = totals::counts(filter, kept);
                    return Ok(counts.map(totals::total));
                }
                Some(CountedList::Label(project, title)) => {
                    let left_out = totals::left_out(filter, self.issue_counters(project)?);
                    let Some(count) = totals::count_label(project, title, left_out) else {
                        return Ok(None);
                    };
                    let most = self.issue_number(count)?;
                    TotalBounds {
                        least: most - left_out,
                        most,
                    }
                }
                Some(CountedList::Group(group)) => {
                    let sums = totals::total_bounds(group, filter, today);
                    let sums: Vec<TotalBounds> = self.issue_rows(sums)?;
                    return Ok(sums.first().and_then(|sums| sums.total()));
                }
            };
            Ok(total_bounds.total())
        }

        /// Returns the ids of a page of a long list by time, if the first issues of an order are enough to fill it.
        fn first_issues(
            &mut self,
            filter: &IssueFilter,
            today: CalendarDate,
            window: Window,
        ) -> Result<Option<Vec<i64>>, StoreError> {
            let is_by_time = matches!(
                filter.order_by,
                IssueOrder::CreatedAt | IssueOrder::UpdatedAt
            );
            let is_near = window.skip.saturating_add(window.take) <= list::FIRST;
            if !is_by_time || !is_near || is_indexed(filter) {
                return Ok(None);
            }
            let of_group = matches!(filter.scope, IssueScope::Group(_));
            let of_group = of_group.then_some(CandidateIssues::Group);
            for scope in std::iter::once(CandidateIssues::Index).chain(of_group) {
                let direction = window.direction(filter.sort);
                let (skip, take) = (window.skip, window.take);
                let bound = IssueListBound::First(scope, direction);
                let ids = list::ids(
                    filter,
                    today,
                    bound,
                    direction,
                    skip,
                    take,
                    dialect::ISSUE_TITLE,
                );
                let ids = self.issue_numbers(ids)?;
                if window.is_filled_by(&ids) {
                    return Ok(Some(ids));
                }
            }
            Ok(None)
        }

        /// Returns the page of these issues, whose ids are in the order in which they were read.
        fn issue_page(&mut self, window: Window, ids: Vec<i64>) -> Result<Page<Issue>, StoreError> {
            let ids = window.in_order(ids);
            let rows = issues::table.filter(issues::id.eq_any(ids.clone()));
            let found = self.list_in_order::<IssueRow>(LIST, &ids, rows)?;
            Ok(window.page(self.complete_issues(found)?))
        }

        /// Reads the parts of issues that are in tables of their own.
        fn complete_issues(&mut self, found: Vec<Issue>) -> Result<Vec<Issue>, StoreError> {
            let ids: Vec<i64> = found.iter().map(|issue| issue.id.get()).collect();
            if ids.is_empty() {
                return Ok(found);
            }
            let labels = issue_labels::table.filter(issue_labels::issue_id.eq_any(ids.clone()));
            let labels: Vec<(i64, i64)> = self.values(LIST, labels)?;
            let assignees = issue_assignees::table.filter(issue_assignees::issue_id.eq_any(ids));
            let assignees: Vec<(i64, i64)> = self.values(LIST, assignees)?;
            Ok(complete(found, labels, assignees))
        }

        fn complete_issue(&mut self, found: Option<Issue>) -> Result<Option<Issue>, StoreError> {
            let issues = self.complete_issues(found.into_iter().collect())?;
            Ok(issues.into_iter().next())
        }
    }

    impl ::projects::IssueQueriesWrapper for WriteTx<'_> {}

    impl IssueQueries for ReadTx<'_> {
        fn find_issue(
            &mut self,
            project: ProjectId,
            iid: IssueIid,
        ) -> Result<Option<Issue>, StoreError> {
            let issue = issues::table
                .filter(issues::project_id.eq(project.get()))
                .filter(issues::iid.eq(iid.get()));
            let found = self.find::<IssueRow>("find issue", issue)?;
            self.complete_issue(found)
        }

        fn find_issue_by_id(&mut self, id: IssueId) -> Result<Option<Issue>, StoreError> {
            let found = self.find::<IssueRow>("find issue", issues::table.find(id.get()))?;
            self.complete_issue(found)
        }

        fn list_issues_of_author(
            &mut self,
            author: UserId,
            limit: usize,
        ) -> Result<Vec<(ProjectId, IssueIid)>, StoreError> {
            let its = issues::table
                .filter(issues::author_id.eq(author.get()))
                .order(issues::id)
                .limit(row_limit(limit))
                .select((issues::project_id, issues::iid));
            let found: Vec<(i64, i64)> = self.values("list issues of author", its)?;
            let named = |(project, iid)| (ProjectId::new(project), IssueIid::new(iid));
            Ok(found.into_iter().map(named).collect())
        }

        fn list_issues(
            &mut self,
            filter: &IssueFilter,
            today: CalendarDate,
            page: OffsetPage,
        ) -> Result<Page<Issue>, StoreError> {
            let known = self.known_total(filter, today)?;
            if let Some(count) = known {
                let window = Window::of(page, count);
                if window.is_empty() {
                    return Ok(window.page(Vec::new()));
                }
                if let Some(ids) = self.first_issues(filter, today, window)? {
                    return self.issue_page(window, ids);
                }
            }
            let bound = self.issue_bound(filter, today)?;
            let count = match known {
                Some(count) => count,
                None => self.issue_number(list::count(filter, today, bound))?,
            };
            let window = match bound {
                IssueListBound::Before(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                IssueListBound::None | IssueListBound::Within(_) | IssueListBound::First(..) => {
                    Window::of(page, count)
                }
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let direction = window.direction(filter.sort);
            let (skip, take) = (window.skip, window.take);
            let ids = list::ids(
                filter,
                today,
                bound,
                direction,
                skip,
                take,
                dialect::ISSUE_TITLE,
            );
            let ids = self.issue_numbers(ids)?;
            let page = self.issue_page(window, ids)?;
            // Behind the bound there may be more matches or none.
            match bound {
                IssueListBound::Before(_) if !page.has_next => Err(too_much()),
                _ => Ok(page),
            }
        }

        fn count_issues(
            &mut self,
            filter: &IssueFilter,
            today: CalendarDate,
        ) -> Result<IssueCounts, StoreError> {
            if let Some(CountedList::Project(project)) = CountedList::of(filter)
                && let Some(counts) = totals::counts(filter, self.issue_counters(project)?)
            {
                return Ok(counts);
            }
            let bound = match self.issue_bound(filter, today)? {
                IssueListBound::None => IssueListBound::Within(CandidateIssues::Index),
                IssueListBound::Before(_) => return Err(too_much()),
                within => within,
            };
            let rows: Vec<CountRow> = self.issue_rows(list::count_states(filter, today, bound))?;
            let mut counts = IssueCounts::default();
            for row in rows {
                row.add_to(&mut counts)?;
            }
            let is_all = counts.opened + counts.closed <= count_of(EXAMINED);
            is_all.then_some(counts).ok_or_else(too_much)
        }

        fn count_issues_by_label(
            &mut self,
            filter: &IssueFilter,
            labels: &[LabelId],
            today: CalendarDate,
        ) -> Result<Vec<(LabelId, IssueCounts)>, StoreError> {
            if self.issue_number(list::count_labelled(labels))? > EXAMINED {
                return Err(too_much());
            }
            let counts = list::count_by_label(filter, today, labels);
            by_label(&self.issue_rows::<CountRow>(counts)?)
        }

        fn count_open_issues(
            &mut self,
            projects: &[ProjectId],
        ) -> Result<Vec<(ProjectId, OpenIssues)>, StoreError> {
            use crate::projects::tables::projects as of;
            let ids: Vec<i64> = projects.iter().map(|id| id.get()).collect();
            let counts = of::table
                .filter(of::id.eq_any(ids))
                .filter(of::deletion_id.is_null())
                .select((of::id, of::open_issues, of::open_confidential_issues));
            let counts: Vec<(i64, i64, i64)> = self.values("count open issues", counts)?;
            let counts = counts.into_iter().map(|(id, all, confidential)| {
                let open = OpenIssues {
                    all: count_of(all),
                    confidential: count_of(confidential),
                };
                (ProjectId::new(id), open)
            });
            Ok(counts.collect())
        }

        fn list_labels_by_id(&mut self, ids: &[LabelId]) -> Result<Vec<Label>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let found = labels::table.filter(labels::id.eq_any(ids));
            self.list::<LabelRow>("list labels", found)
        }

        fn list_labels_by_title(
            &mut self,
            project: ProjectId,
            titles: &[String],
        ) -> Result<Vec<Label>, StoreError> {
            let found = labels::table
                .filter(labels::project_id.eq(project.get()))
                .filter(labels::title.eq_any(titles.to_vec()));
            self.list::<LabelRow>("list labels", found)
        }

        fn list_milestones_by_id(
            &mut self,
            ids: &[MilestoneId],
        ) -> Result<Vec<ProjectMilestone>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let found = milestones::table.filter(milestones::id.eq_any(ids));
            self.list::<MilestoneRow>("list milestones", found)
        }
    }
}
