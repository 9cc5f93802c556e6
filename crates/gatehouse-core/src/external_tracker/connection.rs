//! What is needed to ask the tracker of a project.

use api_conventions::ids::ProjectId;
use error_tracking::external::ApiUrl;
use error_tracking::model::Settings;

/// The tracker of a project, with its sealed token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub(super) project: ProjectId,
    pub(super) address: ApiUrl,
    pub(super) token: Vec<u8>,
}

impl Connection {
    /// The tracker that the settings of a project name, if its errors are to be read from there.
    pub fn of(settings: &Settings) -> Option<Self> {
        settings.is_external().then_some(())?;
        Self::stored(settings)
    }

    /// The tracker that the settings of a project name, whether or not errors are read from there now.
    pub fn stored(settings: &Settings) -> Option<Self> {
        Some(Self {
            project: settings.project_id,
            address: settings.external.address()?,
            token: settings.external.token.clone()?,
        })
    }

    /// The address of the project in the tracker.
    pub fn address(&self) -> &ApiUrl {
        &self.address
    }
}
