//! Who uses deprecated things.

use std::collections::BTreeMap;
use std::ops::Deref;

use ::deprecations::{Holder, Use, UseCount, UseKey, UseQueries, UseRepository, UseSum, usage};
use api_conventions::ids::UserId;
use api_conventions::page::Total;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

/// The table of the crate: a count under each key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    uses: BTreeMap<UseKey, UseCount>,
}

impl Tables {
    /// The uses whose key matches, the last use first. Among equal ones the greater key comes first.
    fn list(&self, matches: impl Fn(&UseKey) -> bool) -> Vec<Use> {
        let its = self.uses.iter().filter(|(key, _)| matches(key));
        let mut its: Vec<Use> = its
            .map(|(key, count)| Use {
                key: key.clone(),
                count: *count,
            })
            .collect();
        its.sort_by_key(|one| one.count.last_at);
        its.reverse();
        its
    }
}

impl<S: Deref<Target = State>> UseQueries for MemoryTx<S> {
    fn list_uses_of_user(&mut self, user: UserId, limit: usize) -> Result<Vec<Use>, StoreError> {
        let mut listed = self.0.uses.list(|key| key.user() == Some(user));
        listed.truncate(limit);
        Ok(listed)
    }

    fn list_uses_of_record(&mut self, record: &str, limit: usize) -> Result<Vec<Use>, StoreError> {
        let mut listed = self.0.uses.list(|key| key.record() == record);
        listed.truncate(limit);
        Ok(listed)
    }

    fn sum_uses_of_record(&mut self, record: &str) -> Result<Option<UseSum>, StoreError> {
        let mut listed = self.0.uses.list(|key| key.record() == record);
        let Some(last_at) = listed.first().map(|one| one.count.last_at) else {
            return Ok(None);
        };
        listed.truncate(usage::MAX_SUMMED);
        let known = listed
            .iter()
            .filter(|one| one.key.holder() != Holder::Others);
        let holders = u64::try_from(known.count()).unwrap_or(u64::MAX);
        Ok(Some(UseSum {
            holders: Total::from_capped_count(holders),
            uses: listed.iter().map(|one| one.count.uses).sum(),
            last_at,
        }))
    }
}

impl UseRepository for MemoryWriteTx<'_> {
    fn add_uses(&mut self, uses: &[Use]) -> Result<(), StoreError> {
        for new in uses {
            let nothing = UseCount {
                uses: 0,
                ..new.count
            };
            let count = self.0.uses.uses.entry(new.key.clone()).or_insert(nothing);
            count.add(new.count);
        }
        Ok(())
    }

    fn delete_uses_before(
        &mut self,
        last_at: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let uses = &mut self.0.uses.uses;
        let old = uses.iter().filter(|(_, count)| count.last_at < last_at);
        let old: Vec<UseKey> = old.map(|(key, _)| key.clone()).take(limit).collect();
        for key in &old {
            uses.remove(key);
        }
        Ok(old.len())
    }
}
