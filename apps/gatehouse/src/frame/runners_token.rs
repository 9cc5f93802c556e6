//! Registration token of runners in the JSON of a project or group, for those who manage its runners. The field ends with
//! release 17.0.

use ::pipelines::model::RunnerPlace;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::runners::find_registration_secret;
use gatehouse_core::vault::Vault;
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;

/// Registration token; null if it was never reset.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct RunnersToken(Option<String>);

impl RunnersToken {
    /// Reads the token of a place; `None` if the viewer does not manage its runners.
    ///
    /// # Errors
    /// Failures of the store.
    pub(crate) fn read(
        tx: &mut dyn ReadTransaction,
        vault: &Vault,
        place: RunnerPlace,
        is_manager: bool,
    ) -> Result<Option<Self>, StoreError> {
        if !is_manager {
            return Ok(None);
        }
        let secret = find_registration_secret(tx, vault, place)?;
        Ok(Some(Self(secret.map(|secret| secret.reveal().to_owned()))))
    }
}
