//! Queries of groups, for both kinds of transaction.

use ::projects::{
    Group, GroupFilter, GroupMembership, GroupOrder, GroupQueries, Namespace, NamespaceFilter,
    NamespaceKind,
};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::CalendarDate;
use diesel::dsl::{max, select, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::projects::groups::rows::GroupRow;
use crate::projects::groups::{LIST, sets, too_much};
use crate::projects::limits::{Bound, CandidateSet, EXAMINED, LimitRow, NumberRow};
use crate::projects::rows::{NamespaceRow, namespace_kind};
use crate::projects::tables::{
    full_paths, namespace_lineage, namespace_members, namespaces, projects,
};
use crate::rows::RowReader;
use crate::search::pattern;
use crate::transaction::order_by;
use crate::window::Window;

#[for_each_database(dialect = crate::projects)]
mod database {
    impl ReadTx<'_> {
        fn count_of_groups(&mut self, text: &str) -> Result<i64, StoreError> {
            let row: NumberRow = self.value(LIST, diesel::sql_query(text))?;
            Ok(row.number)
        }

        /// Returns the bound of a list in this order.
        fn group_bound(
            &mut self,
            filter: &GroupFilter,
            order: GroupOrder,
            sort: SortOrder,
            today: CalendarDate,
        ) -> Result<Bound, StoreError> {
            if self.count_of_groups(sets::UPPER_BOUND)? <= EXAMINED {
                return Ok(Bound::None);
            }
            for ids in sets::scopes(filter, today) {
                let count = self.count_of_groups(&sets::count(&ids))?;
                if count <= EXAMINED {
                    return Ok(Bound::Within(CandidateSet { ids, count }));
                }
            }
            let row: Option<LimitRow> =
                self.value_if(LIST, diesel::sql_query(sets::limit(order, sort)))?;
            Ok(row.map_or(Bound::None, Bound::Before))
        }
    }

    impl ::projects::GroupQueriesWrapper for WriteTx<'_> {}

    impl GroupQueries for ReadTx<'_> {
        fn find_group(&mut self, reference: &NamespaceRef) -> Result<Option<Group>, StoreError> {
            let id = match reference {
                NamespaceRef::Id(id) => Some(id.get()),
                NamespaceRef::Path(path) => {
                    let path = full_paths::table.find(path.lookup_key());
                    self.value_if("find path", path.select(full_paths::namespace_id))?
                        .flatten()
                }
            };
            let Some(id) = id else { return Ok(None) };
            let group = namespaces::table
                .find(id)
                .filter(namespaces::kind.eq(namespace_kind(NamespaceKind::Group)))
                .filter(namespaces::deletion_id.is_null());
            self.find::<GroupRow>("find group", group)
        }

        fn find_group_membership(
            &mut self,
            user: UserId,
            group: NamespaceId,
            today: CalendarDate,
        ) -> Result<GroupMembership, StoreError> {
            let day = today.as_days();
            let role = namespace_lineage::table
                .inner_join(
                    namespace_members::table
                        .on(namespace_members::namespace_id.eq(namespace_lineage::ancestor_id)),
                )
                .filter(namespace_lineage::namespace_id.eq(group.get()))
                .filter(namespace_members::user_id.eq(user.get()))
                .filter(
                    namespace_members::expires_on
                        .is_null()
                        .or(namespace_members::expires_on.gt(day)),
                )
                .select(max(namespace_members::access_level));
            let role: Option<i16> = self.value("find role in group", role)?;
            let row = RowReader::new("namespace_members", group.get());
            let role = role.map(|level| AccessLevel::from_number(level.into()));
            let role = role
                .map(|level| row.require(level, "unknown role"))
                .transpose()?;
            // A role in the group also holds in everything below it.
            let is_below = role.is_some() || {
                let above = sets::above_held_by(user, today);
                let below = format!("{group} IN ({above})");
                self.value("find role in descendants", select(sql::<Bool>(&below)))?
            };
            Ok(GroupMembership { role, is_below })
        }

        fn list_groups(
            &mut self,
            filter: &GroupFilter,
            today: CalendarDate,
            page: OffsetPage,
        ) -> Result<Page<Group>, StoreError> {
            let (order, sort) = (filter.order_by, filter.sort);
            let bound = self.group_bound(filter, order, sort, today)?;
            let matching = || group_ids(filter, today, &bound, sort);
            let count = self.count(LIST, matching())?;
            let window = match &bound {
                Bound::Before(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                _ => Window::of(page, count),
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = ordered(matching(), order, window.direction(sort));
            let ids = self.keys(LIST, window, ids)?;
            let rows = namespaces::table.filter(namespaces::id.eq_any(&ids));
            let page = window.page(self.list_in_order::<GroupRow>(LIST, &ids, rows)?);
            match bound {
                Bound::Before(_) if !page.has_next => Err(too_much()),
                _ => Ok(page),
            }
        }

        fn list_groups_by_name(
            &mut self,
            filter: &GroupFilter,
            after: Option<(&str, NamespaceId)>,
            today: CalendarDate,
            page: KeysetPage,
        ) -> Result<KeysetSlice<Group>, StoreError> {
            let (order, sort) = (GroupOrder::Name, SortOrder::Ascending);
            let bound = self.group_bound(filter, order, sort, today)?;
            let mut ids = group_ids(filter, today, &bound, sort);
            if let Some((name, id)) = after {
                let key = name.to_lowercase();
                // Compares the key alone first, so that the database can seek to it in the index.
                ids = ids.filter(
                    sql::<Bool>("(namespaces.name_key >= ")
                        .bind::<Text, _>(key.clone())
                        .sql(" AND (namespaces.name_key > ")
                        .bind::<Text, _>(key)
                        .sql(&format!(" OR namespaces.id > {id}))")),
                );
            }
            let ids = ordered(ids, order, sort).limit(page.fetch_limit());
            let ids: Vec<i64> = self.values(LIST, ids)?;
            let rows = namespaces::table.filter(namespaces::id.eq_any(&ids));
            let rows = self.list_in_order::<GroupRow>(LIST, &ids, rows)?;
            let slice = KeysetSlice::from_fetched(rows, page);
            match bound {
                Bound::Before(_) if !slice.has_next => Err(too_much()),
                _ => Ok(slice),
            }
        }

        fn list_namespaces(
            &mut self,
            filter: &NamespaceFilter,
            today: CalendarDate,
            page: OffsetPage,
        ) -> Result<Page<Namespace>, StoreError> {
            const LIST: &str = "list namespaces";
            let is_searched = filter.search.is_some() && filter.user.is_none();
            if is_searched && self.count_of_groups(sets::UPPER_BOUND)? > EXAMINED {
                return Err(too_much());
            }
            self.page::<NamespaceRow, _, _, _>(
                    LIST,
                    page,
SortOrder::Ascending,
                    || {
                        let ids = namespaces::table.select(namespaces::id);
                        let mut ids = ids
                            .filter(namespaces::deletion_id.is_null())
                            .into_boxed::<Db>();
                        if let Some(user) = filter.user {
                            let least = filter.min_access_level.map_or(0, AccessLevel::number);
                            let held = sets::held_by(user, least, today);
                            ids = ids.filter(sql::<Bool>(&format!(
                                "namespaces.id IN ({held}) AND (namespaces.kind = 1 OR namespaces.owner_id = {user})"
                            )));
                        }
                        match &filter.search {
                            Some(text) => ids.filter(holds(text)),
                            None => ids,
                        }
                    },
                    |ids, sort| order_by!(ids, sort, namespaces::id),
                    |ids| namespaces::table.filter(namespaces::id.eq_any(ids)),
                )
        }

        fn list_lineage(&mut self, namespace: NamespaceId) -> Result<Vec<Namespace>, StoreError> {
            // Among a namespace and its ancestors, the outermost has the shortest path.
            let above = namespaces::table
                .inner_join(
                    namespace_lineage::table.on(namespace_lineage::ancestor_id.eq(namespaces::id)),
                )
                .filter(namespace_lineage::namespace_id.eq(namespace.get()))
                .order(sql::<BigInt>("length(namespaces.full_path)"));
            self.list::<NamespaceRow>("list ancestors", above)
        }

        fn list_project_ids_of_group(
            &mut self,
            group: NamespaceId,
            limit: usize,
        ) -> Result<Vec<ProjectId>, StoreError> {
            // Sorted here: an order in the statement would lead the planner to the index of all projects.
            let ids = projects::table
                .inner_join(
                    namespace_lineage::table
                        .on(namespace_lineage::namespace_id.eq(projects::namespace_id)),
                )
                .filter(namespace_lineage::ancestor_id.eq(group.get()))
                .filter(projects::deletion_id.is_null())
                .limit(EXAMINED)
                .select(projects::id);
            let mut ids: Vec<i64> = self.values("list projects of group", ids)?;
            ids.sort_unstable_by(|one, other| other.cmp(one));
            ids.truncate(limit);
            Ok(ids.into_iter().map(ProjectId::new).collect())
        }

        fn find_widest_below(
            &mut self,
            group: NamespaceId,
        ) -> Result<Option<Visibility>, StoreError> {
            let below = || sets::below(group.get());
            let groups = namespaces::table
                .filter(sql::<Bool>(&format!("namespaces.id IN ({})", below())))
                .filter(namespaces::id.ne(group.get()))
                .filter(namespaces::deletion_id.is_null())
                .select(max(namespaces::visibility));
            let groups: Option<i16> = self.value("find most visible subgroup", groups)?;
            let inside = format!("projects.namespace_id IN ({})", below());
            let inside = projects::table
                .filter(sql::<Bool>(&inside))
                .filter(projects::deletion_id.is_null())
                .select(max(projects::visibility));
            let inside: Option<i16> = self.value("find most visible project", inside)?;
            let row = RowReader::new("namespaces", group.get());
            let widest = groups.max(inside);
            widest.map(|number| row.visibility(number)).transpose()
        }
    }

    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Ids = namespaces::BoxedQuery<'static, Db, BigInt>;
    type Condition = Box<dyn BoxableExpression<namespaces::table, Db, SqlType = Bool>>;

    /// Returns the condition that the name or the path of a namespace contains `text`, case-insensitively.
    fn holds(text: &str) -> Condition {
        Box::new(
            sql::<Bool>("(lower(namespaces.name) LIKE lower(")
                .bind::<Text, _>(pattern(text))
                .sql(") ESCAPE '\\' OR lower(namespaces.path) LIKE lower(")
                .bind::<Text, _>(pattern(text))
                .sql(") ESCAPE '\\')"),
        )
    }

    /// Returns the ids of the matching groups within the bound, not ordered yet.
    fn group_ids(filter: &GroupFilter, today: CalendarDate, bound: &Bound, sort: SortOrder) -> Ids {
        let mut ids = namespaces::table.select(namespaces::id).into_boxed::<Db>();
        for condition in sets::conditions(filter, today) {
            ids = ids.filter(sql::<Bool>(&condition));
        }
        if let Some(text) = &filter.search {
            ids = ids.filter(holds(text));
        }
        match bound {
            Bound::None => ids,
            Bound::Within(scope) => ids.filter(sql::<Bool>(&format!("namespaces.id IN ({scope})"))),
            Bound::Before(row) => ids.filter(before(row, filter.order_by, sort)),
        }
    }

    /// Returns the condition that a group comes before a row of an order.
    fn before(row: &LimitRow, order: GroupOrder, sort: SortOrder) -> Condition {
        let key = sets::key(order);
        let sign = match sort {
            SortOrder::Ascending => "<",
            SortOrder::Descending => ">",
        };
        let id = row.id;
        let Some(text) = &row.text else {
            return Box::new(sql::<Bool>(&format!("namespaces.id {sign} {id}")));
        };
        Box::new(
            sql::<Bool>(&format!("(namespaces.{key} {sign}= "))
                .bind::<Text, _>(text.clone())
                .sql(&format!(" AND (namespaces.{key} {sign} "))
                .bind::<Text, _>(text.clone())
                .sql(&format!(" OR namespaces.id {sign} {id}))")),
        )
    }

    fn ordered(ids: Ids, order: GroupOrder, sort: SortOrder) -> Ids {
        match order {
            GroupOrder::Name => order_by!(ids, sort, namespaces::name_key, namespaces::id),
            GroupOrder::Path => order_by!(ids, sort, namespaces::path_key, namespaces::id),
            GroupOrder::Id => order_by!(ids, sort, namespaces::id),
        }
    }
}
