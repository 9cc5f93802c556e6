//! Rows of the endpoints that receive alerts.

use alert_intake::model::{Integration, NewIntegration, Source};
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
    }
    written { created_at: BigInt }
}

impl DomainRow for IntegrationRow {
    type Value = Integration;

    fn read(self) -> Result<Integration, StoreError> {
        let row = self.reader();
        Ok(Integration {
            id: IntegrationId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            source: row.require(Source::from_number(self.source), "unknown source")?,
            name: self.name,
            endpoint_identifier: self.endpoint_identifier,
            active: self.active,
            key: SecretDigest::from_bytes(row.digest(self.key_digest)?),
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
            created_at: new.created_at.as_micros(),
        }
    }
}
