//! Everything that a store holds.

/// All rows of a store at one point in time. What it holds is reached through the repository traits only.
#[derive(Debug, Clone, Default)]
pub struct State {
    #[cfg(feature = "accounts")]
    pub(crate) accounts: crate::repo::accounts::Tables,
    #[cfg(feature = "accounts")]
    pub(crate) credentials: crate::repo::credentials::Tables,
    #[cfg(feature = "accounts")]
    pub(crate) sessions: crate::repo::sessions::Tables,
    #[cfg(feature = "accounts")]
    pub(crate) audit: crate::repo::audit::Entries,
    #[cfg(feature = "projects")]
    pub(crate) projects: crate::repo::projects::Tables,
    #[cfg(feature = "projects")]
    pub(crate) members: crate::repo::members::Tables,
    #[cfg(feature = "projects")]
    pub(crate) labels: crate::records::Records<::projects::LabelContent>,
    #[cfg(feature = "projects")]
    pub(crate) milestones: crate::records::Records<::projects::MilestoneContent>,
    #[cfg(feature = "projects")]
    pub(crate) issues: crate::repo::issues::Tables,
    #[cfg(feature = "projects")]
    pub(crate) notes: crate::repo::notes::Tables,
    #[cfg(feature = "projects")]
    pub(crate) spam: crate::repo::spam::Tables,
    #[cfg(feature = "alert-intake")]
    pub(crate) alerts: crate::repo::alerts::Tables,
    #[cfg(feature = "error-tracking")]
    pub(crate) errors: crate::repo::errors::Tables,
    #[cfg(feature = "pipelines")]
    pub(crate) pipelines: crate::repo::pipelines::Tables,
    #[cfg(feature = "events")]
    pub(crate) events: crate::repo::events::Tables,
    #[cfg(feature = "deprecations")]
    pub(crate) uses: crate::repo::deprecations::Tables,
    #[cfg(feature = "oauth-provider")]
    pub(crate) oauth: crate::repo::oauth::Tables,
}
