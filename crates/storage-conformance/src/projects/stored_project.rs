//! The project as an entity. Its owner is the user in whose own namespace it is.

use api_conventions::access::Visibility;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::Timestamp;
use projects::{
    Namespace, NamespaceKind, NewNamespace, NewProject, Project, ProjectFilter, ProjectOrder,
    ProjectRepository, Viewer,
};
use storage::StoreError;

use super::{group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::entity::{Entity, KeysetEntity, ListableEntity, UniqueEntity};
use crate::samples::{HOSTILE, timestamp};
use projects::{ProjectReadTx, ProjectWriteTx};

/// A project in the namespace of its owner, which is created with the first project.
#[derive(Debug)]
pub struct StoredProject;

fn parse(path: &str) -> FullPath {
    FullPath::parse(path).unwrap()
}

/// The namespace of an owner before it is stored.
fn home(owner: UserId) -> Namespace {
    let path = format!("Home-{owner}");
    Namespace {
        id: NamespaceId::new(0),
        kind: NamespaceKind::User,
        name: path.clone(),
        full_path: parse(&path),
        path,
        parent_id: None,
        visibility: Visibility::Public,
    }
}

/// Filter of an owner's projects. Its order does not affect a walk by id.
fn filter(owner: UserId) -> ProjectFilter {
    ProjectFilter {
        owner: Some(owner),
        order_by: ProjectOrder::Path,
        ..ProjectFilter::new(Viewer::User(owner))
    }
}

impl Entity for StoredProject {
    type Store = Projects;
    type Owner = UserId;
    type New = NewProject;
    type Row = Project;
    type Key = ProjectId;

    const IS_FOUND_BY_OWNER: bool = false;

    fn owners(harness: &AreaHarness<Projects>) -> [UserId; 2] {
        let [ann, ben, _] = harness.people();
        [ann, ben]
    }

    /// The order of the paths differs from that of the ids.
    fn sample(owner: UserId, number: u32) -> NewProject {
        project(
            &home(owner),
            &format!("p{}-{number}", number * 7 % 10),
            owner,
        )
    }

    fn edges(owner: UserId) -> Vec<NewProject> {
        let edges = [
            (Visibility::Private, Timestamp::MIN, ""),
            (Visibility::Internal, timestamp(7), HOSTILE),
            (Visibility::Public, Timestamp::MAX, "short"),
        ];
        let edges = edges.map(|(visibility, created_at, description)| NewProject {
            name: format!("{HOSTILE} {visibility}"),
            description: description.repeat(20),
            visibility,
            topics: vec![HOSTILE.to_owned(), description.to_owned()],
            settings: super::some_settings(),
            created_at,
            ..project(
                &home(owner),
                &format!("Some.{}", visibility.as_str()),
                owner,
            )
        });
        edges.to_vec()
    }

    fn insert(
        tx: &mut (dyn ProjectWriteTx + '_),
        new: &NewProject,
    ) -> Result<ProjectId, StoreError> {
        let namespace = namespace_of(tx, new)?;
        let new = NewProject {
            namespace,
            ..new.clone()
        };
        Ok(insert_project(tx, &new)?.id)
    }

    /// Looked up by the id, and by the path in another case, which must give the same row.
    fn find(
        tx: &mut (dyn ProjectReadTx + '_),
        _: UserId,
        id: &ProjectId,
    ) -> Result<Option<Project>, StoreError> {
        let Some(found) = tx.find_project(&ProjectRef::Id(*id))? else {
            return Ok(None);
        };
        let path = parse(&found.full_path.as_str().to_uppercase());
        tx.find_project(&ProjectRef::Path(path))
    }

    fn expected(new: &NewProject, found: &Project) -> Project {
        Project {
            id: found.id,
            namespace: Namespace {
                id: found.namespace.id,
                ..new.namespace.clone()
            },
            name: new.name.clone(),
            path: new.path.clone(),
            full_path: parse(&format!("{}/{}", new.namespace.path, new.path)),
            description: new.description.clone(),
            visibility: new.visibility,
            topics: new.topics.clone(),
            settings: new.settings.clone(),
            archived: false,
            creator_id: new.creator_id,
            created_at: new.created_at,
            updated_at: new.created_at,
            last_activity_at: new.created_at,
        }
    }

    fn key(project: &Project) -> ProjectId {
        project.id
    }

    fn unknown() -> ProjectId {
        ProjectId::new(i64::MAX)
    }
}

/// The stored namespace of the creator.
fn namespace_of(tx: &mut dyn ProjectRepository, new: &NewProject) -> Result<Namespace, StoreError> {
    if let Some(found) = tx.find_namespace(&new.namespace.full_path)? {
        return Ok(found);
    }
    let home = NewNamespace {
        kind: NamespaceKind::User,
        name: new.namespace.name.clone(),
        ..group(&new.namespace.path, new.creator_id)
    };
    insert_namespace(tx, &home)
}

impl ListableEntity for StoredProject {
    const SORT: SortOrder = SortOrder::Descending;
    const IS_RANKED: bool = true;

    fn ranked(owner: UserId, number: u32, rank: u32) -> NewProject {
        NewProject {
            created_at: timestamp(i64::from(rank)),
            ..Self::sample(owner, number)
        }
    }

    fn list(
        tx: &mut (dyn ProjectReadTx + '_),
        owner: UserId,
        request: OffsetPage,
    ) -> Result<Page<Project>, StoreError> {
        let filter = ProjectFilter {
            order_by: ProjectOrder::CreatedAt,
            sort: Self::SORT,
            ..filter(owner)
        };
        tx.list_projects(&filter, timestamp(0).date(), request)
    }
}

impl KeysetEntity for StoredProject {
    fn walk(
        tx: &mut (dyn ProjectReadTx + '_),
        owner: UserId,
        last: Option<&Project>,
        request: KeysetPage,
    ) -> Result<KeysetSlice<Project>, StoreError> {
        let mut filter = filter(owner);
        let last = last.map(|project| project.id);
        match request.sort() {
            SortOrder::Ascending => filter.id_after = last,
            SortOrder::Descending => filter.id_before = last,
        }
        tx.list_projects_by_key(&filter, timestamp(0).date(), request)
    }
}

impl UniqueEntity for StoredProject {
    const IS_PER_OWNER: bool = true;

    fn clashing(owner: UserId, number: u32) -> NewProject {
        let new = Self::sample(owner, number);
        NewProject {
            name: "Another".to_owned(),
            path: new.path.to_uppercase(),
            ..new
        }
    }

    fn try_insert(
        tx: &mut (dyn ProjectWriteTx + '_),
        new: &NewProject,
    ) -> Result<Option<ProjectId>, StoreError> {
        let namespace = namespace_of(tx, new)?;
        let inserted = tx.insert_project(&NewProject {
            namespace,
            ..new.clone()
        })?;
        Ok(match inserted {
            projects::InsertProject::Inserted(project) => Some(project.id),
            projects::InsertProject::PathTaken | projects::InsertProject::NameTaken => None,
        })
    }
}
