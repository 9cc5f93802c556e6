//! Namespaces, projects, members and labels.

mod bounds;
mod conditions;
mod labels;
mod limits;
mod milestones;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod repository;
mod rows;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tables;

use ::projects::{
    FullNames, InsertNamespace, InsertProject, MemberPlace, Membership, Namespace, NamespaceKind,
    NewMember, NewNamespace, NewProject, Project, ProjectFilter, ProjectOrder, ProjectQueries,
    ProjectRepository, UserGroup, Viewer,
};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::{max, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, SmallInt, Text};
use storage::{StoreError, StoreErrorKind};
#[cfg(test)]
pub(crate) use tables::described;

use crate::records::search::pattern;
use crate::rows::RowReader;
use crate::transaction::order_by;
use crate::window::Window;
use bounds::{bounded, bounds};
use conditions::conditions;
use limits::{Bound, EXAMINED, LimitRow, NumberRow, too_much};
use queries::queries;
use repository::repository;
use rows::{NamespaceRow, PlacedProjectRow, namespace_kind, read_groups};
use tables::{
    full_paths, namespace_lineage, namespace_members, namespaces, project_members, projects,
};

/// What an error of a list names.
const LIST: &str = "list projects";

/// How long a project's last activity stands before it is noted again.
const ACTIVITY_GRAIN_MICROS: i64 = 3_600_000_000;

/// That a role still holds on a day: it has no end, or ends later.
macro_rules! holds_on {
    ($members:ident, $day:expr) => {
        $members::expires_on
            .is_null()
            .or($members::expires_on.gt($day))
    };
}

crate::transaction::for_each_database!(queries, repository, crate::projects);
