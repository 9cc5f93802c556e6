//! Steps of deletions.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use projects::{CancelDeletion, Deletion, Doomed, NewDeletion, ProjectWriteTx};
use storage::StoreError;

use super::model::{Asked, Spot};
use super::world::{World, choice};
use crate::broken::{Verdict, check, same};

/// A deletion requested by a user, due at once.
pub(super) fn deletion_by(user: UserId, now: Timestamp) -> NewDeletion {
    NewDeletion {
        requested_by: user,
        requested_at: now,
        due_at: now,
    }
}

/// Runs a deletion, a few rows at a time.
pub(super) fn carry_out(
    tx: &mut dyn ProjectWriteTx,
    deletion: &Deletion,
    limit: usize,
) -> Result<(), StoreError> {
    if !tx.start_deletion(deletion.id, Timestamp::MAX)? {
        return Ok(());
    }
    while let Some(project) = tx.find_project_to_delete(deletion.id)? {
        tx.delete_rows_of_project(project, limit)?;
    }
    if let Doomed::Group(_) = deletion.doomed {
        while tx.delete_groups_of(deletion.id, limit)? > 0 {}
    }
    Ok(())
}

impl World<'_> {
    pub(super) fn doom_group(&mut self, number: u8) -> Verdict {
        let Some(index) = choice(number, &self.model.groups()) else {
            return Ok(());
        };
        let (id, new) = (
            self.model.spaces[index].id,
            deletion_by(self.people[0], self.now()),
        );
        let deletion = self.write(move |tx| {
            let locked = tx.lock_group(id, &[])?;
            locked.map(|locked| tx.doom_group(locked, &new)).transpose()
        })?;
        let own = Spot::Space(index);
        same(
            "that the group can be deleted",
            &deletion.is_some(),
            &self.is_live(own),
        )?;
        let Some(deletion) = deletion else {
            return Ok(());
        };
        let number = self.ask(deletion, own);
        for space in self.model.live_groups() {
            if self.model.is_within(space, index) {
                self.model.spaces[space].deletion = Some(number);
            }
        }
        for thing in self.model.live_projects() {
            if self.model.is_within(self.model.things[thing].space, index) {
                self.model.things[thing].deletion = Some(number);
            }
        }
        Ok(())
    }

    pub(super) fn doom_project(&mut self, number: u8) -> Verdict {
        let Some(index) = choice(number, &self.model.projects()) else {
            return Ok(());
        };
        let (id, new) = (
            self.model.things[index].id,
            deletion_by(self.people[0], self.now()),
        );
        let deletion = self.write(move |tx| {
            let locked = tx.lock_project(id, &[])?;
            locked
                .map(|locked| tx.doom_project(locked, &new))
                .transpose()
        })?;
        let own = Spot::Thing(index);
        same(
            "that the project can be deleted",
            &deletion.is_some(),
            &self.is_live(own),
        )?;
        if let Some(deletion) = deletion {
            self.model.things[index].deletion = Some(self.ask(deletion, own));
        }
        Ok(())
    }

    fn ask(&mut self, deletion: Deletion, of: Spot) -> usize {
        self.model.deletions.push(Asked {
            id: deletion.id,
            of,
            is_gone: false,
        });
        self.model.deletions.len() - 1
    }

    /// Chooses a deletion that is neither cancelled nor done.
    fn asked(&self, number: u8) -> Option<usize> {
        let all = 0..self.model.deletions.len();
        let open: Vec<usize> = all
            .filter(|index| !self.model.deletions[*index].is_gone)
            .collect();
        choice(number, &open)
    }

    pub(super) fn cancel(&mut self, number: u8) -> Verdict {
        let Some(number) = self.asked(number) else {
            return Ok(());
        };
        let id = self.model.deletions[number].id;
        let wanted = self.model.cancellation(number);
        let cancelled = self.write(move |tx| tx.cancel_deletion(id))?;
        same("what became of a cancellation", &cancelled, &wanted)?;
        if cancelled == CancelDeletion::Cancelled {
            self.model.bring_back(number);
        }
        Ok(())
    }

    pub(super) fn carry_out(&mut self, number: u8, limit: u8) -> Verdict {
        let Some(number) = self.asked(number) else {
            return Ok(());
        };
        let asked = &self.model.deletions[number];
        let doomed = match asked.of {
            Spot::Space(index) => Doomed::Group(self.model.spaces[index].id),
            Spot::Thing(index) => Doomed::Project(self.model.things[index].id),
        };
        let limit = usize::from(limit % 3) + 1;
        let left = self.write(move |tx| {
            if let Some(deletion) = tx.find_deletion(doomed)? {
                carry_out(tx, &deletion, limit)?;
                return tx.find_deletion(doomed);
            }
            Err(StoreError::inconsistent(
                "deletions",
                0,
                "asked for, but not found",
            ))
        })?;
        check(left.is_none(), || {
            format!("{doomed:?} was deleted, but its deletion is still there")
        })?;
        let of = asked.of;
        self.model.take_away(of);
        Ok(())
    }
}
