//! Rows of the endpoints that receive alerts.

use alert_intake::model::{Integration, IntegrationSettings, NewIntegration, RetiredKey, Source};
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    alert_integrations: IntegrationRow, NewIntegrationRow;
    fixed {
        project_id: BigInt,
        source: SmallInt,
        name: Text,
        endpoint_identifier: Text,
        active: Bool,
        key_digest: Binary,
        settings: Text,
        created_at: BigInt,
    }
    later { retired_key_digest: Nullable<Binary>, retired_key_until: Nullable<BigInt> }
}

impl DomainRow for IntegrationRow {
    type Value = Integration;

    fn read(self) -> Result<Integration, StoreError> {
        let row = self.reader();
        let retired_key = match (self.retired_key_digest, self.retired_key_until) {
            (Some(digest), Some(until)) => Some(RetiredKey {
                key: SecretDigest::from_bytes(row.digest(digest)?),
                valid_until: row.timestamp(until)?,
            }),
            _ => None,
        };
        let settings = serde_json::from_str(&self.settings);
        Ok(Integration {
            id: IntegrationId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            source: row.require(Source::from_number(self.source), "unknown source")?,
            name: self.name,
            endpoint_identifier: self.endpoint_identifier,
            active: self.active,
            key: SecretDigest::from_bytes(row.digest(self.key_digest)?),
            retired_key,
            settings: settings.map_err(|_| row.inconsistent("settings are not valid"))?,
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

impl<'v> From<&'v NewIntegration> for NewIntegrationRow<'v> {
    fn from(new: &'v NewIntegration) -> Self {
        Self {
            project_id: new.project_id.get(),
            source: new.source.number(),
            name: new.name.as_str().into(),
            endpoint_identifier: new.endpoint_identifier.as_str().into(),
            active: new.active,
            key_digest: new.key.as_bytes()[..].into(),
            settings: settings_json(&new.settings).into(),
            created_at: new.created_at.as_micros(),
        }
    }
}

/// Returns settings as they are stored.
#[expect(
    clippy::expect_used,
    reason = "the settings have no key that is not a text, and no number that JSON lacks"
)]
pub(in crate::alerts) fn settings_json(settings: &IntegrationSettings) -> String {
    serde_json::to_string(settings).expect("settings are JSON")
}
