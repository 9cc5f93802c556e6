//! Changes of issues, for write transactions.

use ::projects::Issue;
use ::projects::IssueQueries as _;
use api_conventions::ids::{IssueId, IssueIid, ProjectId};
use diesel::prelude::*;
use storage::{Locked, StoreError};
use storage_diesel_macros::for_each_database;

use crate::projects::issues::rows::{
    ChangedIssueRow, NewIssueRow, issue_assignees, issue_labels, issues,
};

#[for_each_database(dialect = crate::projects)]
mod database {
    impl WriteTx<'_> {
        /// Writes the labels and assignees of an issue if they have changed.
        fn put_issue_parts(
            &mut self,
            id: i64,
            before: &::projects::IssueBody,
            after: &::projects::IssueBody,
        ) -> Result<(), StoreError> {
            const PUT: &str = "put labels and assignees";
            let gone: Vec<i64> = before
                .labels
                .difference(&after.labels)
                .map(|label| label.get())
                .collect();
            if !gone.is_empty() {
                let of_issue = issue_labels::table.filter(issue_labels::issue_id.eq(id));
                let gone = of_issue.filter(issue_labels::label_id.eq_any(gone));
                self.execute(PUT, diesel::delete(gone))?;
            }
            for label in after.labels.difference(&before.labels) {
                let row = (
                    issue_labels::issue_id.eq(id),
                    issue_labels::label_id.eq(label.get()),
                );
                self.execute(PUT, diesel::insert_into(issue_labels::table).values(row))?;
            }
            let gone: Vec<i64> = before
                .assignees
                .difference(&after.assignees)
                .map(|user| user.get())
                .collect();
            if !gone.is_empty() {
                let of_issue = issue_assignees::table.filter(issue_assignees::issue_id.eq(id));
                let gone = of_issue.filter(issue_assignees::user_id.eq_any(gone));
                self.execute(PUT, diesel::delete(gone))?;
            }
            for user in after.assignees.difference(&before.assignees) {
                let row = (
                    issue_assignees::issue_id.eq(id),
                    issue_assignees::user_id.eq(user.get()),
                );
                self.execute(PUT, diesel::insert_into(issue_assignees::table).values(row))?;
            }
            Ok(())
        }
    }

    impl WriteTx<'_> {
        /// Adds to the counters of a locked project.
        fn add_to_counts(
            &mut self,
            project: ProjectId,
            more: ::projects::IssueCounters,
        ) -> Result<(), StoreError> {
            use crate::projects::tables::projects::{
                closed_confidential_issues, closed_issues, open_confidential_issues, open_issues,
                table,
            };
            if more == ::projects::IssueCounters::default() {
                return Ok(());
            }
            let counted = diesel::update(table.find(project.get())).set((
                open_issues.eq(open_issues + more.open),
                open_confidential_issues.eq(open_confidential_issues + more.open_confidential),
                closed_issues.eq(closed_issues + more.closed),
                closed_confidential_issues
                    .eq(closed_confidential_issues + more.closed_confidential),
            ));
            self.execute("count issues", counted).map(drop)
        }
    }

    impl ::projects::IssueRepository for WriteTx<'_> {
        fn lock_issues(&mut self, project: ProjectId) -> Result<bool, StoreError> {
            dialect::lock_project(self, project.get())
        }

        fn insert_issue(&mut self, new: &::projects::NewIssue) -> Result<Issue, StoreError> {
            use crate::projects::tables::projects::{
                closed_confidential_issues, closed_issues, open_confidential_issues, open_issues,
            };
            const INSERT: &str = "insert issue";
            let counter = crate::projects::tables::projects::last_issue_iid;
            let project = crate::projects::tables::projects::table.find(new.project_id.get());
            let counters = new.body.counters();
            let number = diesel::update(project)
                .set((
                    counter.eq(counter + 1),
                    open_issues.eq(open_issues + counters.open),
                    open_confidential_issues
                        .eq(open_confidential_issues + counters.open_confidential),
                    closed_issues.eq(closed_issues + counters.closed),
                    closed_confidential_issues
                        .eq(closed_confidential_issues + counters.closed_confidential),
                ))
                .returning(counter);
            let number: Option<i64> = self.value_if(INSERT, number)?;
            let number = number
                .ok_or_else(|| crate::records::missing(INSERT, "the project does not exist"))?;
            let insert = diesel::insert_into(issues::table)
                .values(NewIssueRow::new(new, number))
                .returning(issues::id);
            let id: i64 = self.value(INSERT, insert)?;
            self.put_issue_parts(id, &::projects::IssueBody::default(), &new.body)?;
            Ok(new.stored(IssueId::new(id), IssueIid::new(number)))
        }

        fn skip_issue_numbers(
            &mut self,
            project: ProjectId,
            through: IssueIid,
        ) -> Result<(), StoreError> {
            use crate::projects::tables::projects::{id, last_issue_iid, table};
            let behind = table
                .filter(id.eq(project.get()))
                .filter(last_issue_iid.lt(through.get()));
            let skipped = diesel::update(behind).set(last_issue_iid.eq(through.get()));
            self.execute("reserve issue numbers", skipped).map(drop)
        }

        fn lock_issue(
            &mut self,
            project: ProjectId,
            iid: IssueIid,
        ) -> Result<Option<Locked<Issue>>, StoreError> {
            if !dialect::lock_project(self, project.get())? {
                return Ok(None);
            }
            let issue = self.find_issue(project, iid)?;
            Ok(issue.map(Locked::by_adapter))
        }

        fn update_issue(
            &mut self,
            issue: Locked<Issue>,
            body: ::projects::IssueBody,
            now: api_conventions::time::Timestamp,
        ) -> Result<Issue, StoreError> {
            const UPDATE: &str = "update issue";
            let update = diesel::update(issues::table.find(issue.id.get()))
                .set(ChangedIssueRow::new(&body, now));
            if !self.changes(UPDATE, update)? {
                return Err(crate::records::missing(UPDATE, "the issue was deleted"));
            }
            self.put_issue_parts(issue.id.get(), &issue.body, &body)?;
            let more = body.counters().delta_from(issue.body.counters());
            self.add_to_counts(issue.project_id, more)?;
            Ok(Issue {
                body,
                updated_at: now,
                ..issue.into_inner()
            })
        }

        fn delete_issue(&mut self, issue: Locked<Issue>) -> Result<Issue, StoreError> {
            const DELETE: &str = "delete issue";
            let on_it = crate::projects::notes::notes::table
                .filter(
                    crate::projects::notes::notes::noteable_type
                        .eq(::projects::NoteableKind::Issue.number()),
                )
                .filter(crate::projects::notes::notes::noteable_id.eq(issue.id.get()));
            self.execute(DELETE, diesel::delete(on_it))?;
            // Foreign keys delete its labels and assignees.
            let delete = diesel::delete(issues::table.find(issue.id.get()));
            if self.changes(DELETE, delete)? {
                let less = ::projects::IssueCounters::default().delta_from(issue.body.counters());
                self.add_to_counts(issue.project_id, less)?;
                return Ok(issue.into_inner());
            }
            Err(crate::records::missing(DELETE, "the issue was deleted"))
        }
    }
}
