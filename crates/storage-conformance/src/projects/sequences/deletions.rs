//! Steps of deletions.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use projects::{CancelDeletion, DeletionTarget, NewDeletion, ProjectWriteTx, ScheduledDeletion};
use storage::StoreError;

use super::model::{ModelPlace, RequestedDeletion};
use super::world::{World, choose};
use crate::broken_promise::{Verdict, check, same};

/// A deletion requested by a user, due at once.
pub(super) fn deletion_by(user: UserId, now: Timestamp) -> NewDeletion {
    NewDeletion {
        requested_by: user,
        requested_at: now,
        due_at: now,
    }
}

/// Runs a deletion, a few rows at a time.
pub(super) fn run_deletion(
    tx: &mut dyn ProjectWriteTx,
    deletion: &ScheduledDeletion,
    limit: usize,
) -> Result<(), StoreError> {
    if !tx.start_deletion(deletion.id, Timestamp::MAX)? {
        return Ok(());
    }
    while let Some(project) = tx.find_project_to_delete(deletion.id)? {
        tx.delete_rows_of_project(project, limit)?;
    }
    if let DeletionTarget::Group(_) = deletion.target {
        while !tx.delete_groups_of(deletion.id, limit)?.is_empty() {}
    }
    Ok(())
}

impl World<'_> {
    pub(super) fn schedule_group_deletion(&mut self, number: u8) -> Verdict {
        let Some(index) = choose(number, &self.model.groups()) else {
            return Ok(());
        };
        let (id, new) = (
            self.model.namespaces[index].id,
            deletion_by(self.people[0], self.now()),
        );
        let deletion = self.write(move |tx| {
            let locked = tx.lock_group(id, &[])?;
            locked
                .map(|locked| tx.schedule_group_deletion(locked, &new))
                .transpose()
        })?;
        let own = ModelPlace::Namespace(index);
        same(
            "the deletion of the group",
            &deletion.is_some(),
            &self.is_live(own),
        )?;
        let Some(deletion) = deletion else {
            return Ok(());
        };
        let number = self.record_deletion(deletion, own);
        for namespace in self.model.live_groups() {
            if self.model.is_within(namespace, index) {
                self.model.namespaces[namespace].deletion = Some(number);
            }
        }
        for project in self.model.live_projects() {
            if self
                .model
                .is_within(self.model.projects[project].namespace, index)
            {
                self.model.projects[project].deletion = Some(number);
            }
        }
        Ok(())
    }

    pub(super) fn schedule_project_deletion(&mut self, number: u8) -> Verdict {
        let Some(index) = choose(number, &self.model.projects()) else {
            return Ok(());
        };
        let (id, new) = (
            self.model.projects[index].id,
            deletion_by(self.people[0], self.now()),
        );
        let deletion = self.write(move |tx| {
            let locked = tx.lock_project(id, &[])?;
            locked
                .map(|locked| tx.schedule_project_deletion(locked, &new))
                .transpose()
        })?;
        let own = ModelPlace::Project(index);
        same(
            "the deletion of the project",
            &deletion.is_some(),
            &self.is_live(own),
        )?;
        if let Some(deletion) = deletion {
            self.model.projects[index].deletion = Some(self.record_deletion(deletion, own));
        }
        Ok(())
    }

    fn record_deletion(&mut self, deletion: ScheduledDeletion, of: ModelPlace) -> usize {
        self.model.deletions.push(RequestedDeletion {
            id: deletion.id,
            of,
            is_removed: false,
        });
        self.model.deletions.len() - 1
    }

    /// Chooses a deletion that is neither cancelled nor done.
    fn open_deletion(&self, number: u8) -> Option<usize> {
        let all = 0..self.model.deletions.len();
        let open: Vec<usize> = all
            .filter(|index| !self.model.deletions[*index].is_removed)
            .collect();
        choose(number, &open)
    }

    pub(super) fn cancel(&mut self, number: u8) -> Verdict {
        let Some(number) = self.open_deletion(number) else {
            return Ok(());
        };
        let id = self.model.deletions[number].id;
        let expected = self.model.cancellation(number);
        let cancelled = self.write(move |tx| tx.cancel_deletion(id))?;
        same("the outcome of a cancellation", &cancelled, &expected)?;
        if cancelled == CancelDeletion::Cancelled {
            self.model.restore(number);
        }
        Ok(())
    }

    pub(super) fn run_deletion(&mut self, number: u8, limit: u8) -> Verdict {
        let Some(number) = self.open_deletion(number) else {
            return Ok(());
        };
        let requested = &self.model.deletions[number];
        let target = match requested.of {
            ModelPlace::Namespace(index) => DeletionTarget::Group(self.model.namespaces[index].id),
            ModelPlace::Project(index) => DeletionTarget::Project(self.model.projects[index].id),
        };
        let limit = usize::from(limit % 3) + 1;
        let remaining = self.write(move |tx| {
            if let Some(deletion) = tx.find_deletion(target)? {
                run_deletion(tx, &deletion, limit)?;
                return tx.find_deletion(target);
            }
            Err(StoreError::inconsistent(
                "deletions",
                0,
                "requested, but not found",
            ))
        })?;
        check(remaining.is_none(), || {
            format!("{target:?} was deleted, but its deletion still exists")
        })?;
        let of = requested.of;
        self.model.remove_place(of);
        Ok(())
    }
}
