//! Deletions of images in a container registry.

use ::projects::{ImageCleanup, ImageSelection, TagRule};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    image_cleanups: ImageCleanupRow, NewImageCleanupRow, ImageCleanupValues;
    fixed {
        name: Text,
    }
    changing {
        delete_pattern: Nullable<Text>,
        keep_pattern: Nullable<Text>,
        keep_newest: Nullable<BigInt>,
        older_than_seconds: Nullable<BigInt>,
        requested_at: BigInt,
        due_at: Nullable<BigInt>,
    }
}

impl DomainRow for ImageCleanupRow {
    type Value = ImageCleanup;

    fn read(self) -> Result<ImageCleanup, StoreError> {
        let row = self.reader();
        let keep_newest = self.keep_newest.map(u32::try_from).transpose().ok();
        let keep_newest = row.require(keep_newest, "number of tags out of range")?;
        let selection = match self.delete_pattern {
            None => ImageSelection::All,
            Some(delete_pattern) => ImageSelection::Rule(TagRule {
                delete_pattern,
                keep_pattern: self.keep_pattern,
                keep_newest,
                older_than_seconds: self.older_than_seconds,
            }),
        };
        Ok(ImageCleanup {
            selection,
            requested_at: row.timestamp(self.requested_at)?,
            due_at: self.due_at.map(|at| row.timestamp(at)).transpose()?,
            name: self.name,
        })
    }
}

impl<'v> From<&'v ImageCleanup> for ImageCleanupValues<'v> {
    fn from(cleanup: &'v ImageCleanup) -> Self {
        let rule = match &cleanup.selection {
            ImageSelection::All => None,
            ImageSelection::Rule(rule) => Some(rule),
        };
        let keep_pattern = rule.and_then(|rule| rule.keep_pattern.as_deref());
        Self {
            delete_pattern: rule.map(|rule| rule.delete_pattern.as_str().into()),
            keep_pattern: keep_pattern.map(Into::into),
            keep_newest: rule.and_then(|rule| rule.keep_newest).map(i64::from),
            older_than_seconds: rule.and_then(|rule| rule.older_than_seconds),
            requested_at: cleanup.requested_at.as_micros(),
            due_at: cleanup.due_at.map(Timestamp::as_micros),
        }
    }
}
