//! Where the members of a place come from.

use std::collections::BTreeMap;

use ::projects::{Member, MemberPlace};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use storage::StoreError;

use crate::rows::RowReader;

/// A place whose members are members of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    /// The place.
    pub(super) place: MemberPlace,
    /// The highest role that counts of it.
    pub(super) at_most: i16,
    /// The nearer, the smaller.
    pub(super) distance: usize,
}

impl Source {
    /// A place of whose roles all count.
    pub(super) const fn whole(place: MemberPlace, distance: usize) -> Self {
        Self {
            place,
            at_most: AccessLevel::Owner.number(),
            distance,
        }
    }

    /// The table of its members, the column that names it, and its number there.
    pub(super) const fn table(&self) -> (&'static str, &'static str, i64) {
        match self.place {
            MemberPlace::Namespace(id) => ("namespace_members", "namespace_id", id.get()),
            MemberPlace::Project(id) => ("project_members", "project_id", id.get()),
        }
    }
}

/// A role as both tables have it: the place, the user, the role, the day of its expiry, who gave it, and when.
pub(super) type MemberColumns = (i64, i64, i16, Option<i32>, Option<i64>, i64);

/// Reads a row of `namespace_members`.
pub(super) fn read_in_namespace(row: MemberColumns) -> Result<Member, StoreError> {
    let place = MemberPlace::Namespace(NamespaceId::new(row.0));
    read(RowReader::new("namespace_members", row.0), place, row)
}

/// Reads a row of `project_members`.
pub(super) fn read_in_project(row: MemberColumns) -> Result<Member, StoreError> {
    let place = MemberPlace::Project(ProjectId::new(row.0));
    read(RowReader::new("project_members", row.0), place, row)
}

fn read(row: RowReader, place: MemberPlace, columns: MemberColumns) -> Result<Member, StoreError> {
    let (_, user, level, expires_on, created_by, created_at) = columns;
    Ok(Member {
        user_id: UserId::new(user),
        place,
        level: read_level(row, level)?,
        expires_on: expires_on.map(|days| row.day(days)).transpose()?,
        created_by: created_by.map(UserId::new),
        created_at: row.timestamp(created_at)?,
    })
}

/// Reads the number of a role.
pub(super) fn read_level(row: RowReader, level: i16) -> Result<AccessLevel, StoreError> {
    row.need(AccessLevel::from_number(level.into()), "an unknown role")
}

/// For each user the role that counts of those in these places: the highest, and among equal ones the nearest. In the
/// order of the users' ids.
pub(super) fn strongest(members: Vec<Member>, sources: &[Source]) -> Vec<Member> {
    let mut best: BTreeMap<UserId, (AccessLevel, usize, Member)> = BTreeMap::new();
    for member in members {
        for source in sources.iter().filter(|source| source.place == member.place) {
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
