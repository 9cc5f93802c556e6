//! Statements that list the users who have a role in any of several places.
//! They contain only numbers, so no parameters are bound.
//!
//! Each place gives its users from an index, in order and no more than the statement needs, so a page costs only the
//! rows before it and not those of whole groups.

use std::fmt::Write as _;

use ::projects::MemberFilter;
use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::CalendarDate;
use storage::{StoreError, StoreErrorKind};

use super::sources::RoleSource;

/// Maximum number of places in one statement, because a database limits the parts of a statement.
const MAX_SOURCES: usize = 400;

/// Users of some places, each once.
#[derive(Debug)]
pub(super) struct Users {
    arms: Vec<String>,
}

impl Users {
    /// Selects the matching users who have a role in these places on a day.
    ///
    /// # Errors
    /// If there are too many places.
    pub(super) fn of(
        sources: &[RoleSource],
        filter: &MemberFilter,
        today: CalendarDate,
    ) -> Result<Self, StoreError> {
        if sources.len() > MAX_SOURCES {
            let error = StoreError::new(StoreErrorKind::TooMuchWork, "list members");
            return Err(
                error.with_detail("the members are inherited from too many groups".to_owned())
            );
        }
        let mut conditions = format!("(expires_on IS NULL OR expires_on > {})", today.as_days());
        if let Some(users) = &filter.users {
            let _ = write!(conditions, " AND user_id IN ({})", numbers(users));
        }
        if !filter.except.is_empty() {
            let _ = write!(
                conditions,
                " AND user_id NOT IN ({})",
                numbers(&filter.except)
            );
        }
        let arms = sources.iter().map(|source| {
            let (table, column, id) = source.table();
            format!("SELECT user_id FROM {table} WHERE {column} = {id} AND {conditions}")
        });
        Ok(Self {
            arms: arms.collect(),
        })
    }

    /// Returns a statement that counts them, up to `limit`.
    pub(super) fn count(&self, limit: i64) -> String {
        let users = self.first(limit, SortOrder::Ascending);
        format!(
            "SELECT COUNT(*) AS number FROM (SELECT user_id FROM ({users}) AS users LIMIT {limit}) AS counted"
        )
    }

    /// Returns a statement that selects `take` of them after the first `skip`, in this direction.
    pub(super) fn window(&self, skip: i64, take: i64, sort: SortOrder) -> String {
        let users = self.first(skip.saturating_add(take), sort);
        let word = word(sort);
        format!(
            "SELECT user_id AS number FROM ({users}) AS users ORDER BY user_id {word} LIMIT {take} OFFSET {skip}"
        )
    }

    /// Selects the first users of each place.
    fn first(&self, limit: i64, sort: SortOrder) -> String {
        if self.arms.is_empty() {
            return "SELECT user_id FROM project_members WHERE 1 = 0".to_owned();
        }
        let word = word(sort);
        let arms = self.arms.iter().enumerate().map(|(number, arm)| {
            format!(
                "SELECT user_id FROM ({arm} ORDER BY user_id {word} LIMIT {limit}) AS arm_{number}"
            )
        });
        let arms: Vec<String> = arms.collect();
        arms.join(" UNION ")
    }
}

const fn word(sort: SortOrder) -> &'static str {
    match sort {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    }
}

/// Formats ids as a list.
/// No user has a negative id, so -1 matches no user.
fn numbers(users: &[UserId]) -> String {
    let mut list = "-1".to_owned();
    for user in users {
        let _ = write!(list, ", {user}");
    }
    list
}
