//! Sources of the members of a place.

use std::collections::BTreeMap;

use ::projects::{Member, MemberSource};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use storage::StoreError;

use crate::rows::RowReader;

/// Place whose members are also members of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RoleSource {
    /// The place itself.
    pub(super) place: MemberSource,
    /// Maximum role that its members get.
    pub(super) at_most: i16,
    /// Distance from the other place; nearer places have smaller values.
    pub(super) distance: usize,
}

impl RoleSource {
    /// Creates a source whose roles all count in full.
    pub(super) const fn whole(place: MemberSource, distance: usize) -> Self {
        Self {
            place,
            at_most: AccessLevel::Owner.number(),
            distance,
        }
    }

    /// Returns the table of its members, the column that refers to the place, and the id of the place.
    pub(super) const fn table(&self) -> (&'static str, &'static str, i64) {
        match self.place {
            MemberSource::Namespace(id) => ("namespace_members", "namespace_id", id.get()),
            MemberSource::Project(id) => ("project_members", "project_id", id.get()),
        }
    }
}

/// Columns of a role in both tables: the place, the user, the role, the expiry date, the user who gave it, and its
/// time.
pub(super) type MemberColumns = (i64, i64, i16, Option<i32>, Option<i64>, i64);

/// Reads a row of `namespace_members`.
pub(super) fn read_in_namespace(row: MemberColumns) -> Result<Member, StoreError> {
    let place = MemberSource::Namespace(NamespaceId::new(row.0));
    read(RowReader::new("namespace_members", row.0), place, row)
}

/// Reads a row of `project_members`.
pub(super) fn read_in_project(row: MemberColumns) -> Result<Member, StoreError> {
    let place = MemberSource::Project(ProjectId::new(row.0));
    read(RowReader::new("project_members", row.0), place, row)
}

fn read(
    row: RowReader,
    source: MemberSource,
    columns: MemberColumns,
) -> Result<Member, StoreError> {
    let (_, user, level, expires_on, created_by, created_at) = columns;
    Ok(Member {
        user_id: UserId::new(user),
        source,
        level: read_level(row, level)?,
        expires_on: expires_on.map(|days| row.day(days)).transpose()?,
        created_by: created_by.map(UserId::new),
        created_at: row.timestamp(created_at)?,
    })
}

/// Reads the number of a role.
pub(super) fn read_level(row: RowReader, level: i16) -> Result<AccessLevel, StoreError> {
    row.require(AccessLevel::from_number(level.into()), "unknown role")
}

/// Returns the effective role of each user in these places: the highest, and among equal ones the nearest.
/// In the order of the users' ids.
pub(super) fn strongest(members: Vec<Member>, sources: &[RoleSource]) -> Vec<Member> {
    let mut best: BTreeMap<UserId, (AccessLevel, usize, Member)> = BTreeMap::new();
    for member in members {
        for source in sources
            .iter()
            .filter(|source| source.place == member.source)
        {
            let cap = AccessLevel::from_number(source.at_most.into());
            let level = cap.map_or(member.level, |cap| cap.min(member.level));
            let found = (level, source.distance, Member { level, ..member });
            let known = best.entry(member.user_id).or_insert(found);
            if (level, known.1) > (known.0, source.distance) {
                *known = found;
            }
        }
    }
    best.into_values().map(|(_, _, member)| member).collect()
}
