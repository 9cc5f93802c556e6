//! Shape of a metrics webhook: its required attributes and its version.

use serde_json::value::RawValue;

use crate::payload::PayloadError;
use crate::payload::lenient::LenientValue;

/// Required attributes of every webhook (the specification's metrics payload). Only their presence counts; values may
/// be null.
const REQUIRED: [&str; 9] = [
    "alerts",
    "commonAnnotations",
    "commonLabels",
    "externalURL",
    "groupKey",
    "groupLabels",
    "receiver",
    "status",
    "version",
];

/// Check for the required attributes and the supported version.
#[derive(Debug, Default)]
pub(in crate::payload) struct ShapeCheck {
    seen: [bool; REQUIRED.len()],
    is_version_4: bool,
}

impl ShapeCheck {
    /// Records a top-level attribute.
    pub(in crate::payload) fn key(&mut self, name: &str) {
        for (seen, required) in self.seen.iter_mut().zip(REQUIRED) {
            *seen |= required == name;
        }
    }

    /// Records the version, which must be a string and not a number.
    pub(in crate::payload) fn version(&mut self, raw: &RawValue) {
        self.key("version");
        self.is_version_4 = serde_json::from_str::<LenientValue<'_>>(raw.get())
            .is_ok_and(|it| matches!(it, LenientValue::Text(text) if text == "4"))
            && raw.get().starts_with('"');
    }

    /// True if the body is a webhook of version 4.
    pub(in crate::payload) fn is_metrics(&self) -> bool {
        self.check().is_ok()
    }

    pub(super) fn check(&self) -> Result<(), PayloadError> {
        let missing = self.seen.iter().zip(REQUIRED).find(|(seen, _)| !**seen);
        match missing {
            Some((_, name)) => Err(PayloadError::MissingAttribute(name)),
            None if self.is_version_4 => Ok(()),
            None => Err(PayloadError::WrongVersion),
        }
    }
}
