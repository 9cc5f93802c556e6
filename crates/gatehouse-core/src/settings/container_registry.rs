//! Settings of the container registry.

use url::Url;

/// A container registry that trusts the tokens of this server.
#[derive(Debug, Clone)]
pub struct ContainerRegistrySettings {
    /// URL at which this server reaches the registry.
    pub address: Url,
    /// Host and port at which clients reach the registry, as in names of images.
    pub host: String,
}
