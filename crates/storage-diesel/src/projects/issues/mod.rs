//! Issues of projects.

mod conditions;
mod list;
mod repository;
mod rows;

use ::projects::{
    Issue, IssueCounts, IssueFilter, IssueOrder, IssueQueries, IssueState, Label, Milestone,
    OpenIssues,
};
use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::CalendarDate;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, SmallInt, Text};
use storage::StoreError;

use super::labels::{LabelRow, labels};
use super::limits::{LimitRow, NumberRow};
use super::milestones::{MilestoneRow, milestones};
use crate::capped_count::count_of;
use crate::rows::RowReader;
use crate::transaction::Backend;
use crate::window::Window;
use conditions::{Statement, is_indexed};
use list::{Bound, EXAMINED, Scope, scopes, too_much};
use repository::repository;
use rows::{IssueRow, complete};
pub(super) use rows::{issue_assignees, issue_labels, issues};

/// What an error of a list names.
const LIST: &str = "list issues";

/// How many issues have a label and a state.
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
        match row.need(state, "an unknown state")? {
            IssueState::Opened => counts.opened += number,
            IssueState::Closed => counts.closed += number,
        }
        Ok(())
    }
}

/// The counts of labels. Rows of one label come one after the other, or not.
fn by_label(rows: &[CountRow]) -> Result<Vec<(LabelId, IssueCounts)>, StoreError> {
    let mut all = std::collections::BTreeMap::<LabelId, IssueCounts>::new();
    for row in rows {
        row.add_to(all.entry(LabelId::new(row.label)).or_default())?;
    }
    Ok(all.into_iter().collect())
}

macro_rules! queries {
    ($tx:ident) => {
        impl $tx<'_> {
            fn issue_rows<T>(&mut self, statement: Statement) -> Result<Vec<T>, StoreError>
            where
                T: diesel::deserialize::QueryableByName<Backend<Self>> + 'static,
            {
                let text = dialect::placeholders(&statement.text);
                let query = diesel::sql_query(text).into_boxed::<Backend<Self>>();
                let binds = statement.binds.into_iter();
                let query = binds.fold(query, |query, text| query.bind::<Text, _>(text));
                self.values(LIST, query)
            }

            fn issue_numbers(&mut self, statement: Statement) -> Result<Vec<i64>, StoreError> {
                let rows: Vec<NumberRow> = self.issue_rows(statement)?;
                Ok(rows.into_iter().map(|row| row.number).collect())
            }

            fn issue_number(&mut self, statement: Statement) -> Result<i64, StoreError> {
                let numbers = self.issue_numbers(statement)?;
                Ok(numbers.first().copied().unwrap_or_default())
            }

            /// Where a list of issues looks.
            fn issue_bound(
                &mut self,
                filter: &IssueFilter,
                today: CalendarDate,
            ) -> Result<Bound, StoreError> {
                if is_indexed(filter) {
                    return Ok(Bound::None);
                }
                for scope in scopes(filter) {
                    let count = list::count_scope(scope, filter, today);
                    if self.issue_number(count)? <= EXAMINED {
                        return Ok(Bound::Within(scope));
                    }
                }
                match filter.order_by {
                    IssueOrder::CreatedAt | IssueOrder::UpdatedAt => {
                        let limit: Vec<LimitRow> = self.issue_rows(list::limit(filter))?;
                        let limit = limit.into_iter().next();
                        Ok(limit.map_or(Bound::None, |row| Bound::Before(row.into())))
                    }
                    IssueOrder::DueDate | IssueOrder::Title => Err(too_much()),
                }
            }

            /// The counts of a list of all that a project has, which stand beside the project. Nothing for any other list, and
            /// where there are confidential issues of which the viewer sees only some.
            fn counts_kept(
                &mut self,
                filter: &IssueFilter,
            ) -> Result<Option<IssueCounts>, StoreError> {
                use crate::projects::tables::projects as of;
                let Some((project, sees_confidential)) = conditions::whole_project(filter) else {
                    return Ok(None);
                };
                let kept = of::table.find(project.get()).select((
                    of::open_issues,
                    of::closed_issues,
                    of::open_confidential_issues + of::closed_confidential_issues,
                ));
                let kept: Option<(i64, i64, i64)> = self.value_if("count issues", kept)?;
                let kept =
                    kept.filter(|(_, _, confidential)| sees_confidential || *confidential == 0);
                Ok(kept.map(|(opened, closed, _)| IssueCounts {
                    opened: count_of(opened),
                    closed: count_of(closed),
                }))
            }

            /// Reads what stands about issues in tables of their own.
            fn complete_issues(&mut self, found: Vec<Issue>) -> Result<Vec<Issue>, StoreError> {
                let ids: Vec<i64> = found.iter().map(|issue| issue.id.get()).collect();
                if ids.is_empty() {
                    return Ok(found);
                }
                let labels = issue_labels::table.filter(issue_labels::issue_id.eq_any(ids.clone()));
                let labels: Vec<(i64, i64)> = self.values(LIST, labels)?;
                let assignees =
                    issue_assignees::table.filter(issue_assignees::issue_id.eq_any(ids));
                let assignees: Vec<(i64, i64)> = self.values(LIST, assignees)?;
                Ok(complete(found, labels, assignees))
            }

            fn complete_issue(
                &mut self,
                found: Option<Issue>,
            ) -> Result<Option<Issue>, StoreError> {
                let issues = self.complete_issues(found.into_iter().collect())?;
                Ok(issues.into_iter().next())
            }
        }

        impl IssueQueries for $tx<'_> {
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

            fn list_issues(
                &mut self,
                filter: &IssueFilter,
                today: CalendarDate,
                page: OffsetPage,
            ) -> Result<Page<Issue>, StoreError> {
                let bound = self.issue_bound(filter, today)?;
                let limit = api_conventions::page::Total::COUNT_LIMIT;
                let count = self.issue_number(list::count(filter, today, bound, limit))?;
                let window = match bound {
                    Bound::Before(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                    Bound::None | Bound::Within(_) => Window::of(page, count),
                };
                if window.is_empty() {
                    return Ok(window.page(Vec::new()));
                }
                let part = (window.direction(filter.sort), window.skip, window.take);
                let ids = list::ids(filter, today, bound, part, dialect::ISSUE_TITLE);
                let ids = window.in_order(self.issue_numbers(ids)?);
                let rows = issues::table.filter(issues::id.eq_any(ids.clone()));
                let found = self.list_in_order::<IssueRow>(LIST, &ids, rows)?;
                let page = window.page(self.complete_issues(found)?);
                // Beyond what may be examined there may be more, or none.
                match bound {
                    Bound::Before(_) if !page.has_next => Err(too_much()),
                    _ => Ok(page),
                }
            }

            fn count_issues(
                &mut self,
                filter: &IssueFilter,
                today: CalendarDate,
            ) -> Result<IssueCounts, StoreError> {
                if let Some(counts) = self.counts_kept(filter)? {
                    return Ok(counts);
                }
                let bound = match self.issue_bound(filter, today)? {
                    Bound::None => Bound::Within(Scope::Index),
                    Bound::Before(_) => return Err(too_much()),
                    within => within,
                };
                let rows: Vec<CountRow> =
                    self.issue_rows(list::count_states(filter, today, bound))?;
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
            ) -> Result<Vec<Milestone>, StoreError> {
                let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
                let found = milestones::table.filter(milestones::id.eq_any(ids));
                self.list::<MilestoneRow>("list milestones", found)
            }
        }
    };
}

crate::transaction::for_each_database!(queries, repository, crate::projects);
