//! How a list of projects is held to what it may examine.

/// Writes `bound`, `within` and `ordered` for one connection type, beside the conditions.
macro_rules! bounds {
    ($connection:ty) => {
        fn number(connection: &mut $connection, text: &str) -> QueryResult<i64> {
            let row: NumberRow = diesel::sql_query(text).get_result(connection)?;
            Ok(row.number)
        }

        /// Where a list in this order stops looking.
        fn bound(
            connection: &mut $connection,
            filter: &ProjectFilter,
            order: ProjectOrder,
            sort: SortOrder,
        ) -> QueryResult<Bound> {
            if limits::is_indexed(filter, order) || number(connection, limits::AT_MOST)? <= EXAMINED
            {
                return Ok(Bound::None);
            }
            for scope in limits::scopes(filter) {
                if number(connection, &limits::count(&scope))? <= EXAMINED {
                    return Ok(Bound::Within(scope));
                }
            }
            let row = diesel::sql_query(limits::limit(filter, order, sort)).get_result(connection);
            Ok(row.optional()?.map_or(Bound::None, Bound::Before))
        }

        /// Those of the projects that stand within the bound.
        fn within(ids: Ids, bound: &Bound, order: ProjectOrder, sort: SortOrder) -> Ids {
            match bound {
                Bound::None => ids,
                Bound::Within(scope) => {
                    ids.filter(sql::<Bool>(&format!("projects.id IN ({scope})")))
                }
                Bound::Before(row) => ids.filter(before(row, order, sort)),
            }
        }

        /// That a project comes before a row of an order. The key alone is compared first: that is what an index
        /// is entered by.
        fn before(row: &LimitRow, order: ProjectOrder, sort: SortOrder) -> Condition {
            let key = limits::key(order);
            let sign = match sort {
                SortOrder::Ascending => "<",
                SortOrder::Descending => ">",
            };
            let id = row.id;
            if let Some(text) = &row.text {
                return Box::new(
                    sql::<Bool>(&format!("(projects.{key} {sign}= "))
                        .bind::<Text, _>(text.clone())
                        .sql(&format!(" AND (projects.{key} {sign} "))
                        .bind::<Text, _>(text.clone())
                        .sql(&format!(" OR projects.id {sign} {id}))")),
                );
            }
            let number = row.number.unwrap_or(id);
            Box::new(sql::<Bool>(&format!(
                "(projects.{key} {sign}= {number} AND (projects.{key} {sign} {number} OR projects.id {sign} {id}))"
            )))
        }

        /// The projects in their order. Those of a few are sorted; all others stand in the index of the order.
        fn ordered(ids: Ids, bound: &Bound, order: ProjectOrder, sort: SortOrder) -> Ids {
            macro_rules! by {
                ($key:expr) => {
                    match sort {
                        SortOrder::Ascending => ids.order(($key.asc(), project_table::id.asc())),
                        SortOrder::Descending => ids.order(($key.desc(), project_table::id.desc())),
                    }
                };
            }
            if let Bound::Within(_) = bound {
                return by!(sql::<BigInt>(&limits::unindexed_key(order)));
            }
            match order {
                ProjectOrder::Id => match sort {
                    SortOrder::Ascending => ids.order(project_table::id.asc()),
                    SortOrder::Descending => ids.order(project_table::id.desc()),
                },
                ProjectOrder::Name => by!(project_table::name_key),
                ProjectOrder::Path => by!(project_table::path_key),
                ProjectOrder::CreatedAt => by!(project_table::created_at),
                ProjectOrder::UpdatedAt => by!(project_table::updated_at),
                ProjectOrder::LastActivityAt => by!(project_table::last_activity_at),
            }
        }
    };
}

pub(super) use bounds;
