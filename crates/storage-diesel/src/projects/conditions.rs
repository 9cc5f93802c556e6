//! Conditions of the queries that list projects.

use ::projects::{ProjectFilter, Viewer};
use api_conventions::access::Visibility;
use api_conventions::ids::UserId;
use api_conventions::time::CalendarDate;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, SmallInt, Text};
use storage_diesel_macros::for_each_database;

use crate::projects::members::project_shares;
use crate::projects::tables::{
    namespace_lineage, namespace_members, namespaces, project_members, projects,
};
use crate::projects::{holds_on, limits};
use crate::search::pattern;

#[for_each_database(dialect = crate::projects)]
pub(crate) mod database {
    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Joined = diesel::helper_types::InnerJoinQuerySource<projects::table, namespaces::table>;
    pub(in crate::projects) type Condition = Box<dyn BoxableExpression<Joined, Db, SqlType = Bool>>;
    pub(in crate::projects) type Ids = diesel::helper_types::IntoBoxed<
        'static,
        diesel::helper_types::Select<
            diesel::helper_types::InnerJoin<projects::table, namespaces::table>,
            projects::id,
        >,
        Db,
    >;

    /// Returns the condition that the viewer may see a project.
    fn visible(viewer: Viewer, today: CalendarDate) -> Option<Condition> {
        match viewer {
            Viewer::Administrator(_) => None,
            Viewer::Anonymous => Some(Box::new(
                sql::<SmallInt>(dialect::PROJECT_VISIBILITY).eq(Visibility::Public.number()),
            )),
            Viewer::User(user) => Some(Box::new(
                sql::<SmallInt>(dialect::PROJECT_VISIBILITY)
                    .ge(Visibility::Internal.number())
                    .or(member(user, 0, today)),
            )),
        }
    }

    /// Returns the condition that a user has at least the role `least`, in the project, in any group above it, or
    /// through a share.
    fn member(user: UserId, least: i16, today: CalendarDate) -> Condition {
        let day = today.as_days();
        let inherited = namespace_lineage::table
            .inner_join(
                namespace_members::table
                    .on(namespace_members::namespace_id.eq(namespace_lineage::ancestor_id)),
            )
            .filter(namespace_members::user_id.eq(user.get()))
            .filter(namespace_members::access_level.ge(least))
            .filter(holds_on!(namespace_members, day))
            .select(namespace_lineage::namespace_id);
        let direct = project_members::table
            .filter(project_members::user_id.eq(user.get()))
            .filter(project_members::access_level.ge(least))
            .filter(holds_on!(project_members, day))
            .select(project_members::project_id);
        let shared = project_shares::table
            .inner_join(
                namespace_lineage::table
                    .on(namespace_lineage::namespace_id.eq(project_shares::group_id)),
            )
            .inner_join(
                namespace_members::table
                    .on(namespace_members::namespace_id.eq(namespace_lineage::ancestor_id)),
            )
            .filter(namespace_members::user_id.eq(user.get()))
            .filter(namespace_members::access_level.ge(least))
            .filter(holds_on!(namespace_members, day))
            .filter(project_shares::access_level.ge(least))
            .filter(holds_on!(project_shares, day))
            .select(project_shares::project_id);
        Box::new(
            sql::<BigInt>(dialect::PROJECT_NAMESPACE)
                .eq_any(inherited)
                .or(sql::<BigInt>(dialect::PROJECT_ID).eq_any(direct))
                .or(sql::<BigInt>(dialect::PROJECT_ID).eq_any(shared)),
        )
    }

    /// Returns the condition that the name, the path or the description of a project contains `text`, or the full path
    /// if that is searched too.
    fn holds(text: &str, and_full_path: bool) -> Condition {
        let path = if and_full_path { "full_path" } else { "path" };
        Box::new(
            sql::<Bool>("(lower(projects.name) LIKE lower(")
                .bind::<Text, _>(pattern(text))
                .sql(&format!(
                    ") ESCAPE '\\' OR lower(projects.{path}) LIKE lower("
                ))
                .bind::<Text, _>(pattern(text))
                .sql(") ESCAPE '\\' OR lower(projects.description) LIKE lower(")
                .bind::<Text, _>(pattern(text))
                .sql(") ESCAPE '\\')"),
        )
    }

    pub(in crate::projects) fn conditions(
        filter: &ProjectFilter,
        today: CalendarDate,
    ) -> Vec<Condition> {
        let mut all: Vec<Condition> = visible(filter.viewer, today).into_iter().collect();
        all.push(Box::new(projects::deletion_id.is_null()));
        if let Some(text) = &filter.search {
            all.push(holds(text, filter.search_namespaces));
        }
        if let Some(archived) = filter.archived {
            all.push(Box::new(projects::archived.eq(archived)));
        }
        if filter.with_merge_requests {
            all.push(Box::new(sql::<Bool>("projects.merge_requests_enabled")));
        }
        for topic in &filter.topics {
            let has_topic = "EXISTS (SELECT 1 FROM project_topics AS t \
                                 WHERE t.project_id = projects.id AND t.topic_key = ";
            let has_topic = sql::<Bool>(has_topic).bind::<Text, _>(topic.to_lowercase());
            all.push(Box::new(has_topic.sql(")")));
        }
        if let Some(of_group) = limits::of_group(filter.within, Some(today)) {
            all.push(Box::new(sql::<Bool>(&format!(
                "projects.id IN ({of_group})"
            ))));
        }
        if let Some(timestamp) = filter.updated_after {
            all.push(Box::new(projects::updated_at.gt(timestamp.as_micros())));
        }
        if let Some(timestamp) = filter.updated_before {
            all.push(Box::new(projects::updated_at.lt(timestamp.as_micros())));
        }
        if let Some(visibility) = filter.visibility {
            let column = sql::<SmallInt>(dialect::PROJECT_VISIBILITY);
            all.push(Box::new(column.eq(visibility.number())));
        }
        if let Some(owner) = filter.owner {
            let own = namespaces::owner_id
                .eq(owner.get())
                .and(namespaces::kind.eq(0_i16));
            all.push(Box::new(own));
        }
        if let Some(least) = filter.min_access_level {
            let user = filter.viewer.user_id().unwrap_or(UserId::new(-1));
            all.push(member(user, least.number(), today));
        }
        if let Some(id) = filter.id_after {
            all.push(Box::new(projects::id.gt(id.get())));
        }
        if let Some(id) = filter.id_before {
            all.push(Box::new(projects::id.lt(id.get())));
        }
        if let Some(timestamp) = filter.active_after {
            let column = projects::last_activity_at;
            all.push(Box::new(column.gt(timestamp.as_micros())));
        }
        if let Some(timestamp) = filter.active_before {
            let column = projects::last_activity_at;
            all.push(Box::new(column.lt(timestamp.as_micros())));
        }
        all
    }

    /// Returns the ids of the matching projects, not ordered yet.
    pub(in crate::projects) fn matching(filter: &ProjectFilter, today: CalendarDate) -> Ids {
        let all = projects::table
            .inner_join(namespaces::table)
            .select(projects::id)
            .into_boxed::<Db>();
        let conditions = conditions(filter, today).into_iter();
        conditions.fold(all, QueryDsl::filter)
    }
}
