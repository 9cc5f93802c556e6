//! Everything that a store holds.

/// All rows of a store at one moment. What it holds is reached through the repository traits only.
#[derive(Debug, Clone, Default)]
pub struct State {
    #[cfg(feature = "accounts")]
    pub(crate) accounts: crate::repo::accounts::Tables,
    #[cfg(feature = "projects")]
    pub(crate) projects: crate::repo::projects::Tables,
    #[cfg(feature = "alert-intake")]
    pub(crate) alerts: crate::repo::alerts::Tables,
    #[cfg(feature = "events")]
    pub(crate) events: crate::repo::events::Tables,
}
