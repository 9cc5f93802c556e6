//! Use cases of groups.

mod create;
mod find;
mod update;

pub use create::{CreateGroup, create_group};
pub use find::{find_redirected_group, find_visible_group, group_access};
pub use update::{move_group, update_group};

use crate::model::{MAX_DEPTH, Namespace};
use crate::rules::visibility::too_wide_for;
use api_conventions::access::Visibility;
use api_conventions::reference::FullPath;
use api_conventions::validation::SLUG_RULE;

use super::error::NamespaceError;

/// Rejects a place in `parent` that is nested too deeply, has a path that is too long, or is more visible than the
/// parent.
fn check_place(
    parent: Option<&Namespace>,
    path: &str,
    visibility: Visibility,
) -> Result<(), NamespaceError> {
    let above = parent.map(|parent| parent.full_path.as_str());
    let full_path = above.map_or_else(|| path.to_owned(), |above| format!("{above}/{path}"));
    if FullPath::parse(&full_path).is_none() {
        return Err(NamespaceError::of("path", SLUG_RULE));
    }
    if full_path.split('/').count() > MAX_DEPTH {
        let text = format!("is nested too deeply (maximum is {MAX_DEPTH} groups)");
        return Err(NamespaceError::of("parent_id", text));
    }
    let text = parent.and_then(|parent| too_wide_for(visibility, parent));
    text.map_or(Ok(()), |text| Err(NamespaceError::of("visibility", text)))
}
