//! Connection data of a project's external tracker.

use api_conventions::ids::ProjectId;
use error_tracking::external::ApiUrl;
use error_tracking::model::Settings;

/// The external tracker of a project, with its sealed token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub(super) project: ProjectId,
    pub(super) address: ApiUrl,
    pub(super) token: Vec<u8>,
}

impl Connection {
    /// Returns the tracker configured for a project, if its errors are read from there.
    pub fn of(settings: &Settings) -> Option<Self> {
        settings.is_external().then_some(())?;
        Self::stored(settings)
    }

    /// Returns the tracker configured for a project, whether or not errors are currently read from there.
    pub fn stored(settings: &Settings) -> Option<Self> {
        Some(Self {
            project: settings.project_id,
            address: settings.external.address()?,
            token: settings.external.token.clone()?,
        })
    }

    /// Address of the project in the tracker.
    pub fn address(&self) -> &ApiUrl {
        &self.address
    }
}
