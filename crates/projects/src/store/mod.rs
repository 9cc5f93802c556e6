//! The repository traits of namespaces, groups, projects and members.

mod deletions;
mod groups;

pub use deletions::{
    CancelDeletion, DeletionQueries, DeletionQueriesWrapper, DeletionRepository,
    DeletionRepositoryWrapper, NewDeletion,
};
pub use groups::{
    GroupQueries, GroupQueriesWrapper, GroupRepository, GroupRepositoryWrapper, SaveGroup,
};
pub use storage::Locked;

mod members;

pub use members::{MemberQueries, MemberQueriesWrapper, MemberRepository, MemberRepositoryWrapper};

mod issues;
mod notes;
mod spam;

use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use records::{RecordQueries, RecordRepository};
use storage::StoreError;

pub use issues::{IssueQueries, IssueQueriesWrapper, IssueRepository, IssueRepositoryWrapper};
pub use notes::{NoteQueries, NoteQueriesWrapper, NoteRepository, NoteRepositoryWrapper};
pub use spam::{SpamQueries, SpamQueriesWrapper, SpamRepository, SpamRepositoryWrapper};

use crate::model::{
    FullNames, LabelContent, Membership, MilestoneContent, Namespace, NewNamespace, NewProject,
    Project, ProjectContent, ProjectFilter, UserGroup,
};

/// What a transaction of either kind can tell about projects.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait ProjectQueries {
    /// The namespace with this full path, given in any case.
    fn find_namespace(&mut self, path: &FullPath) -> Result<Option<Namespace>, StoreError>;

    /// The namespace with this id.
    fn find_namespace_by_id(&mut self, id: NamespaceId) -> Result<Option<Namespace>, StoreError>;

    /// A user's own namespace.
    fn find_namespace_of(&mut self, user: UserId) -> Result<Option<Namespace>, StoreError>;

    /// The names of each of these namespaces, with those of all above it, outermost first. What does not exist is left
    /// out.
    fn list_full_names(&mut self, namespaces: &[NamespaceId]) -> Result<FullNames, StoreError>;

    /// The project with this id or full path, the path given in any case, without a check of who may see it.
    fn find_project(&mut self, reference: &ProjectRef) -> Result<Option<Project>, StoreError>;

    /// What had this full path, given in any case, before it was renamed or moved. `None` for a path at which nothing was, and
    /// for one whose thing is gone or waits for its deletion. A path that was taken anew says nothing of who had it before.
    fn find_moved(&mut self, path: &FullPath) -> Result<Option<Moved>, StoreError>;

    /// The projects with these ids, in no particular order and without a check of who may see them; unknown ids are left out.
    fn list_projects_by_id(&mut self, ids: &[ProjectId]) -> Result<Vec<Project>, StoreError>;

    /// The roles of a user in a project on the day `today`: the one given there, the highest one given in any
    /// namespace above, and the highest one through shares. A role or a share counts until its day of expiry begins. Nobody has a role in an unknown project.
    fn find_membership(
        &mut self,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError>;

    /// The groups in which a user has a role on the day `today`: those in which it was given, and all below them. Each is
    /// there once, in the order of their full paths, compared byte by byte. Users' own namespaces are no groups, and a
    /// role in a project alone counts for no group.
    fn list_groups_of_user(
        &mut self,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError>;

    /// One page of the projects that match. Roles count on the day `today`. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// An adapter may limit the projects that it examines for one page to no fewer than 100,000. Where a page is filled
    /// within that limit but the list goes on beyond it, the total may be
    /// [`Uncounted`](api_conventions::page::Total::Uncounted).
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the page cannot be determined
    /// within that limit.
    fn list_projects(
        &mut self,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Project>, StoreError>;

    /// A stretch of the projects that match, in the order of their ids; the order and the direction of the filter
    /// mean nothing here, and its `id_after` or `id_before` says where the stretch begins. Nobody counts what matches:
    /// a client that walks the whole list would have it counted once for each page. What is examined may be limited as
    /// it is for [`Self::list_projects`], from where the stretch begins.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the stretch cannot be determined
    /// within that limit.
    fn list_projects_by_key(
        &mut self,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<Stretch<Project>, StoreError>;
}

/// What is elsewhere now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// A namespace.
    Namespace(NamespaceId),
    /// A project.
    Project(ProjectId),
}

/// What happened to a namespace that was to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertNamespace {
    /// It is there.
    Inserted(Namespace),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
}

/// What happened to a project that was to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertProject {
    /// It is there.
    Inserted(Box<Project>),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
    /// Another project of the namespace has this name. Nothing was written.
    NameTaken,
}

/// A project as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectChange {
    /// What people wrote.
    pub content: ProjectContent,
    /// Where it is.
    pub namespace: Namespace,
    /// Whether nothing in it may be written.
    pub archived: bool,
}

/// What happened to a project that was to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveProject {
    /// It is as it was to be.
    Saved(Box<Project>),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
    /// Another project of the namespace has this name. Nothing was written.
    NameTaken,
}

/// What a write transaction can change about projects.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(
    revokes(update_project),
    keeps(insert_namespace, insert_project, lock_project, touch_projects)
)]
pub trait ProjectRepository: ProjectQueries {
    /// Inserts a namespace and makes its owner a member, unless the full path is taken.
    fn insert_namespace(&mut self, namespace: &NewNamespace)
    -> Result<InsertNamespace, StoreError>;

    /// Inserts a project, unless the full path is taken.
    fn insert_project(&mut self, project: &NewProject) -> Result<InsertProject, StoreError>;

    /// Locks a project with the tree of groups that it is in, and the trees of these other namespaces, for a move to one of
    /// them.
    fn lock_project(
        &mut self,
        project: ProjectId,
        others: &[NamespaceId],
    ) -> Result<Option<Locked<Project>>, StoreError>;

    /// Writes a project anew at the time `now`. The caller has locked the tree of its namespace.
    fn update_project(
        &mut self,
        project: Locked<Project>,
        change: &ProjectChange,
        now: Timestamp,
    ) -> Result<SaveProject, StoreError>;

    /// Notes that something happened in projects at these times, one after the other. At most one note an hour is kept
    /// for each, so that a busy project is not written again and again. Unknown projects are passed over.
    fn touch_projects(&mut self, timestamps: &[(ProjectId, Timestamp)]) -> Result<(), StoreError>;
}

storage::dyn_store! {
    /// A store of namespaces, projects, members, labels and milestones, to be held behind `dyn`. Every
    /// [`Store`](storage::Store) is one whose transactions have these repository traits.
    pub trait ProjectStore {
        /// What a read closure of a [`ProjectStore`] gets.
        type Read: ProjectReadTx = ProjectQueries
            + DeletionQueries
            + GroupQueries
            + MemberQueries
            + RecordQueries<LabelContent>
            + RecordQueries<MilestoneContent>
            + IssueQueries
            + NoteQueries
            + SpamQueries;
        /// What a write closure of a [`ProjectStore`] gets.
        type Write: ProjectWriteTx = ProjectRepository
            + DeletionRepository
            + GroupRepository
            + MemberRepository
            + RecordRepository<LabelContent>
            + RecordRepository<MilestoneContent>
            + IssueRepository
            + NoteRepository
            + SpamRepository;
    }
}
