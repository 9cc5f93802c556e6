//! How a list of projects is held to what it may examine.

/// Writes the look for the bound, for one kind of transaction.
macro_rules! bounds {
    ($tx:ident) => {
        impl $tx<'_> {
            fn count_of_projects(&mut self, text: &str) -> Result<i64, StoreError> {
                let row: NumberRow = self.value(LIST, diesel::sql_query(text))?;
                Ok(row.number)
            }

            /// Where a list in this order stops looking.
            fn bound(
                &mut self,
                filter: &ProjectFilter,
                order: ProjectOrder,
                sort: SortOrder,
            ) -> Result<Bound, StoreError> {
                if limits::is_indexed(filter, order)
                    || self.count_of_projects(limits::AT_MOST)? <= EXAMINED
                {
                    return Ok(Bound::None);
                }
                for scope in limits::scopes(filter) {
                    if self.count_of_projects(&limits::count(&scope))? <= EXAMINED {
                        return Ok(Bound::Within(scope));
                    }
                }
                let limit = diesel::sql_query(limits::limit(filter, order, sort));
                let row = self.value_if(LIST, limit)?;
                Ok(row.map_or(Bound::None, Bound::Before))
            }
        }
    };
}

/// Writes `within` and `ordered` for one database, beside the conditions.
macro_rules! bounded {
    () => {
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
            if let Bound::Within(_) = bound {
                let key = sql::<BigInt>(&limits::unindexed_key(order));
                return order_by!(ids, sort, key, projects::id);
            }
            match order {
                ProjectOrder::Id => order_by!(ids, sort, projects::id),
                ProjectOrder::Name => order_by!(ids, sort, projects::name_key, projects::id),
                ProjectOrder::Path => order_by!(ids, sort, projects::path_key, projects::id),
                ProjectOrder::CreatedAt => order_by!(ids, sort, projects::created_at, projects::id),
                ProjectOrder::UpdatedAt => order_by!(ids, sort, projects::updated_at, projects::id),
                ProjectOrder::LastActivityAt => order_by!(ids, sort, projects::last_activity_at, projects::id),
            }
        }
    };
}

pub(super) use {bounded, bounds};
