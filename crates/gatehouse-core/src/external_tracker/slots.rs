//! Limits on concurrent calls: a tracker that hangs blocks a thread for seconds, and must not block all of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use api_conventions::ids::ProjectId;

/// Maximum number of concurrent calls of all projects.
const OF_ALL: usize = 32;
/// Maximum number of concurrent calls of one project.
const OF_ONE: usize = 4;

/// Number of running calls by project.
#[derive(Debug, Default)]
pub(super) struct Slots(Mutex<HashMap<ProjectId, usize>>);

/// A slot of a running call, released when dropped.
#[derive(Debug)]
pub(super) struct CallSlot<'s> {
    slots: &'s Slots,
    project: ProjectId,
}

impl Slots {
    /// Takes a slot for a call of a project, if one is free. Never waits: the caller can try again.
    pub(super) fn take(&self, project: ProjectId) -> Option<CallSlot<'_>> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = taken.values().sum();
        let own = taken.entry(project).or_default();
        let is_free = all < OF_ALL && *own < OF_ONE;
        is_free.then(|| {
            *own += 1;
            CallSlot {
                slots: self,
                project,
            }
        })
    }
}

impl Drop for CallSlot<'_> {
    fn drop(&mut self) {
        let mut taken = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.project) {
            *own = own.saturating_sub(1);
        }
        taken.retain(|_, own| *own > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_has_its_share_and_all_have_a_bound() {
        let slots = Slots::default();
        let take = |project| slots.take(ProjectId::new(project));
        let mut held: Vec<CallSlot<'_>> = (0..OF_ONE).filter_map(|_| take(1)).collect();
        assert_eq!(held.len(), OF_ONE);
        assert!(take(1).is_none());
        held.pop();
        held.extend(take(1));
        assert_eq!(held.len(), OF_ONE);
        for project in 2.. {
            match take(project) {
                Some(slot) => held.push(slot),
                None => break,
            }
        }
        assert_eq!(held.len(), OF_ALL);
        drop(held);
        assert!(take(1).is_some());
    }
}
