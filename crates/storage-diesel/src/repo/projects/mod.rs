//! Namespaces, projects and members.

mod bounds;
mod conditions;
mod limits;
mod queries;
mod repository;

use std::collections::BTreeMap;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, SortOrder, Stretch, Total};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, SmallInt, Text};
use projects::{
    FullNames, InsertNamespace, InsertProject, MemberPlace, Membership, Namespace, NamespaceKind,
    NewMember, NewNamespace, NewProject, Project, ProjectFilter, ProjectOrder, ProjectQueries,
    ProjectRepository, UserGroup, Viewer,
};
use storage::{StoreError, StoreErrorKind};

use crate::capped_count::CappedCount;
use crate::error::from_diesel;
use crate::rows::RowReader;
use crate::rows::projects::{NamespaceRow, ProjectRow, namespace_kind, read_groups, read_project};
use crate::schema::{
    full_paths, namespace_lineage, namespace_members, namespaces, project_members,
    projects as project_table,
};
use crate::search::pattern;
use crate::window::Window;
use bounds::bounds;
use conditions::conditions;
use limits::{Bound, EXAMINED, LimitRow, NumberRow, too_much};
use queries::queries;
use repository::repository;

/// How long a project's last activity stands before it is noted again.
const ACTIVITY_GRAIN_MICROS: i64 = 3_600_000_000;

super::for_each_database!(queries, repository, batch);
