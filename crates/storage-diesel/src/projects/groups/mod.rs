//! Groups.

mod queries;
mod repository;
mod rows;
mod sets;

use ::projects::rules::nesting::{Extent, fits};
use ::projects::{
    Group, GroupContent, GroupFilter, GroupMembership, GroupOrder, GroupQueries, GroupRepository,
    Locked, Namespace, NamespaceFilter, NamespaceKind, SaveGroup,
};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::reference::{FullPath, NamespaceRef};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::{max, select, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::{StoreError, StoreErrorKind};

use super::limits::{Bound, EXAMINED, LimitRow, NumberRow, Scope};
use super::rows::{NamespaceRow, namespace_kind};
use super::tables::{full_paths, namespace_lineage, namespace_members, namespaces, projects};
use crate::rows::RowReader;
use crate::search::pattern;
use crate::transaction::order_by;
use crate::window::Window;
use queries::queries;
use repository::repository;
pub(super) use rows::GroupRow;

/// What an error of a list names.
const LIST: &str = "list groups";

/// The refusal of a list that would examine too many rows.
fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, LIST)
        .with_detail(format!("more than {EXAMINED} groups would be examined"))
}

/// The path of something below `parent`.
pub(super) fn path_below(parent: Option<&Namespace>, path: &str) -> Result<FullPath, StoreError> {
    let above = parent.map(|parent| format!("{}/", parent.full_path.as_str()));
    let full_path = format!("{}{path}", above.unwrap_or_default());
    let impossible = || StoreError::new(StoreErrorKind::Internal, "write something without a path");
    FullPath::parse(&full_path).ok_or_else(impossible)
}

crate::transaction::for_each_database!(queries, repository, crate::projects);
