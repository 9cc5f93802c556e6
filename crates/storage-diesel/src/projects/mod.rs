//! Namespaces, projects, members, labels, milestones and issues.

mod bounds;
mod certain;
mod conditions;
mod deletions;
mod former;
mod groups;
mod issues;
mod labels;
mod limits;
mod members;
mod milestones;
mod notes;
#[cfg(feature = "postgres")]
mod postgres;
mod queries;
mod repository;
mod rows;
mod spam;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tables;

use ::projects::{
    FullNames, InsertNamespace, InsertProject, Locked, Membership, Moved, Namespace, NamespaceKind,
    NewNamespace, NewProject, Project, ProjectChange, ProjectFilter, ProjectOrder, ProjectQueries,
    ProjectRepository, SaveProject, UserGroup, Viewer,
};
use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch, Total};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, SmallInt, Text};
use storage::{StoreError, StoreErrorKind};
#[cfg(test)]
pub(crate) use tables::described;

use crate::search::pattern;
use crate::transaction::order_by;
use crate::window::Window;
use bounds::{bounded, bounds};
use certain::certain;
use conditions::conditions;
use former::former;
use limits::{Bound, EXAMINED, FEW, LimitRow, NumberRow, SAMPLE, Scope, WALKED, too_much};
use members::project_shares;
use queries::queries;
use repository::repository;
use rows::{NamespaceRow, PlacedProjectRow, as_json, namespace_kind, read_groups};
use tables::{
    former_paths, full_paths, namespace_lineage, namespace_members, namespaces, project_members,
    project_topics, projects,
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

use holds_on;

crate::transaction::for_each_database!(queries, repository, crate::projects);
