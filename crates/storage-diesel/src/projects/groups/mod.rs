//! Groups.

mod queries;
mod repository;
mod rows;
mod sets;

use ::projects::Namespace;
use api_conventions::reference::FullPath;
use storage::{StoreError, StoreErrorKind};

use super::limits::EXAMINED;
pub(super) use rows::GroupRow;

/// Name of the operation in the errors of a list.
const LIST: &str = "list groups";

/// Returns the error of a list that would examine too many rows.
fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, LIST)
        .with_detail(format!("more than {EXAMINED} groups"))
}

/// Returns the full path of a resource below `parent`.
pub(super) fn path_below(parent: Option<&Namespace>, path: &str) -> Result<FullPath, StoreError> {
    let above = parent.map(|parent| format!("{}/", parent.full_path.as_str()));
    let full_path = format!("{}{path}", above.unwrap_or_default());
    let impossible = || StoreError::new(StoreErrorKind::Internal, "build full path");
    FullPath::parse(&full_path).ok_or_else(impossible)
}
