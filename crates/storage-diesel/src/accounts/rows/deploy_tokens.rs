//! Rows of deploy tokens.

use accounts::{DeployToken, NewDeployToken, TokenPlace};
use api_conventions::ids::{DeployTokenId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    deploy_tokens: DeployTokenRow, NewDeployTokenRow;
    fixed {
        place_kind: SmallInt,
        place_id: BigInt,
        name: Text,
        username: Nullable<Text>,
        scopes: Text,
        expires_at: Nullable<BigInt>,
        creator_id: BigInt,
        created_at: BigInt,
    }
    written { digest: Binary }
}

impl DomainRow for DeployTokenRow {
    type Value = DeployToken;

    fn read(self) -> Result<DeployToken, StoreError> {
        let row = self.reader();
        let place = TokenPlace::from_numbers(self.place_kind, self.place_id);
        Ok(DeployToken {
            id: DeployTokenId::new(self.id),
            place: row.require(place, "unknown kind of place")?,
            name: self.name,
            chosen_username: self.username,
            scopes: row.scopes(&self.scopes)?,
            expires_at: row.optional_timestamp(self.expires_at)?,
            creator_id: UserId::new(self.creator_id),
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

impl<'v> From<&'v NewDeployToken> for NewDeployTokenRow<'v> {
    fn from(new: &'v NewDeployToken) -> Self {
        let (place_kind, place_id) = new.place.numbers();
        Self {
            place_kind,
            place_id,
            name: new.name.as_str().into(),
            username: new.chosen_username.as_deref().map(Into::into),
            scopes: new.scopes.to_string().into(),
            expires_at: new.expires_at.map(Timestamp::as_micros),
            creator_id: new.creator_id.get(),
            created_at: new.created_at.as_micros(),
            digest: new.digest.as_bytes()[..].into(),
        }
    }
}
