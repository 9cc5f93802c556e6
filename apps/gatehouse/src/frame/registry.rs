//! Container registry, vault and outgoing mail, as API handlers reach them.

use std::sync::Arc;

use gatehouse_core::container_registry::ContainerRegistry;
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::vault::Vault;

use super::api::ApiRequest;

impl ApiRequest {
    /// Container registry that trusts the tokens of this server; `None` if there is none.
    pub fn registry(&self) -> Option<&ContainerRegistry> {
        self.state.registry.as_deref()
    }

    /// Encryption of stored secrets, from which registration tokens of runners are derived.
    pub fn vault(&self) -> Arc<Vault> {
        Arc::clone(&self.state.vault)
    }

    /// Setting of outgoing mail.
    pub fn outgoing_mail(&self) -> OutgoingMail {
        self.state.outgoing_mail()
    }
}
