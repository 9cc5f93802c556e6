//! The project that a use case is about.

use storage::StoreError;

/// Why a project is not shown, or something in it not allowed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectRefusal {
    /// The project does not exist for this viewer.
    #[error("no such project")]
    NotFound,
    /// It does, but the viewer's role is too low.
    #[error("the role is too low")]
    Forbidden,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
