//! Store of projects, with test helpers.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::UserId;
use api_conventions::page::OffsetPage;
use api_conventions::reference::ProjectRef;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::flow::create_namespace::{CreateNamespaceError, create_namespace};
use projects::flow::create_project::create_project;
use projects::flow::error::NamespaceError;
use projects::flow::find_visible::find_visible_project;
use projects::flow::full_names::full_names;
use projects::{
    FullNames, MemberRepository as _, MemberSource, Namespace, NamespaceKind, NewMember,
    NewNamespace, NewProject, Project, ProjectAccess, ProjectFilter, ProjectQueries as _, Viewer,
};
use storage::{Store as _, StoreError};
use storage_diesel::SqliteStore;

/// User who creates everything.
pub(crate) const MAKER: UserId = UserId::new(1);
/// Another user.
pub(crate) const OTHER: UserId = UserId::new(2);

/// Parses an RFC 3339 time.
pub(crate) fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// Current time of the tests, unless a test uses another.
pub(crate) fn now() -> Timestamp {
    at("2024-03-01T12:00:00Z")
}

/// Display name of a place; for the longest path, as long as a name may be.
fn title(path: &str) -> String {
    format!("The {path}").chars().take(255).collect()
}

/// A group to be created.
pub(crate) fn group(path: &str, parent: Option<&Namespace>) -> NewNamespace {
    NewNamespace {
        kind: NamespaceKind::Group,
        name: title(path),
        path: path.to_owned(),
        parent: parent.cloned(),
        visibility: Visibility::Private,
        owner: MAKER,
        created_at: now(),
    }
}

/// A project to be created.
pub(crate) fn project(namespace: &Namespace, path: &str, visibility: Visibility) -> NewProject {
    NewProject {
        namespace: namespace.clone(),
        name: title(path),
        path: path.to_owned(),
        description: String::new(),
        visibility,
        topics: Vec::new(),
        settings: projects::ProjectSettings::default(),
        creator_id: MAKER,
        created_at: now(),
    }
}

/// A store with test helpers.
pub(crate) struct TestProjects(pub(crate) SqliteStore);

impl Default for TestProjects {
    fn default() -> Self {
        Self(SqliteStore::in_memory().unwrap())
    }
}

impl TestProjects {
    /// Creates a namespace.
    pub(crate) fn namespace(
        &self,
        request: NewNamespace,
    ) -> Result<Namespace, CreateNamespaceError> {
        self.0
            .write(move |tx| create_namespace(tx, &request))
            .wait()
    }

    /// Creates a group whose path is free.
    pub(crate) fn group(&self, path: &str, parent: Option<&Namespace>) -> Namespace {
        self.namespace(group(path, parent)).unwrap()
    }

    /// Creates a project.
    pub(crate) fn create(&self, request: NewProject) -> Result<Project, NamespaceError> {
        self.0.write(move |tx| create_project(tx, &request)).wait()
    }

    /// Full name of the namespace of a project.
    pub(crate) fn full_names(&self, project: &Project) -> FullNames {
        let projects = [project.clone()];
        let names = self.0.read(move |tx| full_names(tx, &projects));
        names.wait().unwrap()
    }

    /// Adds a member to a place, until the day `until` begins.
    pub(crate) fn member(
        &self,
        user_id: UserId,
        place: MemberSource,
        level: AccessLevel,
        until: Option<&str>,
    ) {
        let member = NewMember {
            user_id,
            level,
            expires_on: until.and_then(CalendarDate::parse),
            created_by: None,
            created_at: now(),
        };
        let work = self.0.write(move |tx| {
            let locked = tx.lock_members(place)?;
            tx.put_member(&locked.unwrap(), &member)
        });
        let done: Result<(), StoreError> = work.wait();
        done.unwrap();
    }

    /// Looks up the project with this raw path segment on behalf of a viewer.
    pub(crate) fn visible(
        &self,
        reference: &str,
        viewer: Viewer,
        now: Timestamp,
    ) -> Option<(Project, ProjectAccess)> {
        let reference = ProjectRef::parse(reference)?;
        let found = self
            .0
            .read(move |tx| find_visible_project(tx, &reference, viewer, now));
        found.wait().unwrap()
    }

    /// The paths of the projects in a viewer's list.
    pub(crate) fn listed(&self, viewer: Viewer, now: Timestamp) -> Vec<String> {
        let filter = ProjectFilter::new(viewer);
        let page = OffsetPage::default();
        let listed = self
            .0
            .read(move |tx| tx.list_projects(&filter, now.date(), page));
        let listed: Result<_, StoreError> = listed.wait();
        let projects = listed.unwrap().items;
        projects
            .iter()
            .map(|project| project.full_path.as_str().to_owned())
            .collect()
    }
}
