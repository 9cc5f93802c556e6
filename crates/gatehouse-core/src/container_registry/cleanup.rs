//! Deletions of images by a job.

use api_conventions::time::Timestamp;
use projects::rules::image_tags::{DatedTag, TagSelector};
use projects::{ImageCleanup, ImageSelection, TagRule};

use super::client::{RegistryFailure, RegistrySession};

impl RegistrySession {
    /// Carries out a deletion of images. Returns the number of deleted tags, or 0 for all.
    pub(super) fn clean_up(
        &self,
        cleanup: &ImageCleanup,
        now: Timestamp,
    ) -> Result<usize, RegistryFailure> {
        match &cleanup.selection {
            ImageSelection::All => self.delete_all_tags().map(|()| 0),
            ImageSelection::Rule(rule) => self.delete_by_rule(rule, now),
        }
    }

    fn delete_by_rule(&self, rule: &TagRule, now: Timestamp) -> Result<usize, RegistryFailure> {
        // A stored pattern compiled before, so this fails only after a change of its limits.
        let Some(selector) = TagSelector::new(rule) else {
            return Ok(0);
        };
        let mut tags = Vec::new();
        for name in self.list_tags()? {
            if !selector.matches(&name) {
                continue;
            }
            let created_at = if selector.needs_times() {
                let Some(tag) = self.find_tag(&name)? else {
                    continue;
                };
                tag.created_at
            } else {
                None
            };
            tags.push(DatedTag { name, created_at });
        }
        let mut deleted = 0;
        for name in selector.select(tags, now) {
            deleted += usize::from(self.delete_tag(&name)?);
        }
        Ok(deleted)
    }
}
