//! Container registry, as API handlers reach it.

use gatehouse_core::container_registry::ContainerRegistry;

use super::api::ApiRequest;

impl ApiRequest {
    /// Container registry that trusts the tokens of this server; `None` if there is none.
    pub fn registry(&self) -> Option<&ContainerRegistry> {
        self.state.registry.as_deref()
    }
}
