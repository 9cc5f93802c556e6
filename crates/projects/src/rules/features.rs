//! Features of a project that its settings open, restrict or turn off.

use api_conventions::access::AccessLevel;

use crate::model::ProjectSettings;
use crate::rules::access::ProjectAccess;

/// A feature of a project whose readers the settings of the project choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Pipelines, and the statuses of commits: setting `builds_access_level`.
    Pipelines,
    /// Jobs: settings `builds_access_level` and `public_jobs`.
    Jobs,
    /// Environments and deployments: setting `environments_access_level`.
    Environments,
    /// The repository, which a Git server holds: setting `repository_access_level`.
    Repository,
    /// Images, which a container registry holds: setting `container_registry_access_level`.
    ContainerRegistry,
    /// Snippets of the project: setting `snippets_access_level`.
    Snippets,
}

/// Users who can read a feature, among those who see the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// No users: the feature is off, for writers as well.
    Nobody,
    /// Members with this role or a higher one, and administrators.
    Role(AccessLevel),
    /// Everyone who sees the project.
    Everybody,
}

impl Feature {
    /// Readers according to the settings of a project.
    ///
    /// Jobs disclose more than pipelines, so they are for Reporters unless `public_jobs` opens them to all who read
    /// pipelines.
    pub fn readers(self, settings: &ProjectSettings) -> Readers {
        let (level, members) = match self {
            Self::Pipelines | Self::Jobs => ("builds_access_level", AccessLevel::Guest),
            Self::Environments => ("environments_access_level", AccessLevel::Reporter),
            Self::Repository => ("repository_access_level", AccessLevel::Reporter),
            Self::ContainerRegistry => ("container_registry_access_level", AccessLevel::Reporter),
            Self::Snippets => ("snippets_access_level", AccessLevel::Guest),
        };
        let needs_reporter = self == Self::Jobs && settings.value("public_jobs") != true;
        match settings.value(level).as_str() {
            Some("disabled") => Readers::Nobody,
            Some("enabled") if !needs_reporter => Readers::Everybody,
            _ if needs_reporter => Readers::Role(AccessLevel::Reporter),
            _ => Readers::Role(members),
        }
    }

    /// True if a viewer who sees the project may read the feature.
    pub fn is_read_by(self, settings: &ProjectSettings, access: ProjectAccess) -> bool {
        match self.readers(settings) {
            Readers::Nobody => false,
            Readers::Role(least) => access.allows(least),
            Readers::Everybody => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::access::AccessLevel::{Guest, Reporter};
    use serde_json::json;

    use super::*;

    fn readers(settings: &serde_json::Value) -> [Readers; 5] {
        let settings = ProjectSettings::from_json(&settings.to_string()).unwrap();
        let features = [
            Feature::Pipelines,
            Feature::Jobs,
            Feature::Environments,
            Feature::Repository,
            Feature::Snippets,
        ];
        features.map(|feature| feature.readers(&settings))
    }

    #[test]
    fn each_value_of_the_settings_chooses_readers() {
        let (nobody, everybody) = (Readers::Nobody, Readers::Everybody);
        let [guests, reporters] = [Guest, Reporter].map(Readers::Role);
        for (settings, wanted) in [
            (
                json!({}),
                [everybody, reporters, reporters, everybody, everybody],
            ),
            (
                json!({ "public_jobs": true }),
                [everybody, everybody, reporters, everybody, everybody],
            ),
            (
                json!({ "builds_access_level": "private" }),
                [guests, reporters, reporters, everybody, everybody],
            ),
            (
                json!({ "builds_access_level": "private", "public_jobs": true }),
                [guests, guests, reporters, everybody, everybody],
            ),
            (
                json!({ "builds_access_level": "disabled", "public_jobs": true }),
                [nobody, nobody, reporters, everybody, everybody],
            ),
            (
                json!({ "environments_access_level": "enabled" }),
                [everybody, reporters, everybody, everybody, everybody],
            ),
            (
                json!({ "environments_access_level": "disabled" }),
                [everybody, reporters, nobody, everybody, everybody],
            ),
            (
                json!({ "repository_access_level": "private" }),
                [everybody, reporters, reporters, reporters, everybody],
            ),
            (
                json!({ "snippets_access_level": "private" }),
                [everybody, reporters, reporters, everybody, guests],
            ),
            (
                json!({ "snippets_access_level": "disabled" }),
                [everybody, reporters, reporters, everybody, nobody],
            ),
            (
                json!({ "repository_access_level": "disabled" }),
                [everybody, reporters, reporters, nobody, everybody],
            ),
        ] {
            assert_eq!(readers(&settings), wanted, "{settings}");
        }
    }
}
