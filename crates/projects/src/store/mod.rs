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

mod images;
mod issues;
mod notes;
mod snippets;
mod spam;

use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use records::{RecordQueries, RecordRepository};
use storage::StoreError;

pub use images::{ImageQueries, ImageQueriesWrapper, ImageRepositories, ImageRepositoriesWrapper};
pub use issues::{IssueQueries, IssueQueriesWrapper, IssueRepository, IssueRepositoryWrapper};
pub use notes::{NoteQueries, NoteQueriesWrapper, NoteRepository, NoteRepositoryWrapper};
pub use snippets::{
    SnippetQueries, SnippetQueriesWrapper, SnippetRepository, SnippetRepositoryWrapper,
};
pub use spam::{SpamQueries, SpamQueriesWrapper, SpamRepository, SpamRepositoryWrapper};

use crate::model::{
    FullNames, LabelContent, Membership, MilestoneContent, Namespace, NewNamespace, NewProject,
    Project, ProjectContent, ProjectFilter, UserGroup,
};

/// Read queries on projects, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails. A row that does not exist is `None`, not an error.
/// A method that can fail in another way says so.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait ProjectQueries {
    /// The namespace with this full path, in any case.
    fn find_namespace(&mut self, path: &FullPath) -> Result<Option<Namespace>, StoreError>;

    /// The namespace with this id.
    fn find_namespace_by_id(&mut self, id: NamespaceId) -> Result<Option<Namespace>, StoreError>;

    /// A user's own namespace.
    fn find_namespace_of(&mut self, user: UserId) -> Result<Option<Namespace>, StoreError>;

    /// Names of each of these namespaces, with those of all its ancestors, outermost first.
    /// Unknown namespaces are left out.
    fn list_full_names(&mut self, namespaces: &[NamespaceId]) -> Result<FullNames, StoreError>;

    /// Returns the project with this id or full path (in any case), without an access check.
    fn find_project(&mut self, reference: &ProjectRef) -> Result<Option<Project>, StoreError>;

    /// Returns the resource that had this full path, in any case, before it was renamed or transferred.
    /// `None` for a path that no resource had, and for one whose resource was deleted or is pending deletion. A path
    /// that is in use again does not disclose its previous resource.
    fn find_redirect(&mut self, path: &FullPath) -> Result<Option<RedirectTarget>, StoreError>;

    /// The projects with these ids, in no particular order and without an access check; unknown ids are left out.
    fn list_projects_by_id(&mut self, ids: &[ProjectId]) -> Result<Vec<Project>, StoreError>;

    /// Roles of a user in a project on the day `today`: the direct one, the highest inherited one, and the highest one
    /// through shares.
    /// A role or a share counts until its day of expiry begins. An unknown project has no roles.
    fn find_membership(
        &mut self,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError>;

    /// Groups in which a user has a role on the day `today`: those in which it was given, and all their descendants.
    /// Each is listed once, ordered by full path, byte by byte. Users' own namespaces are not groups, and a role only
    /// in a project gives none in a group.
    fn list_groups_of_user(
        &mut self,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError>;

    /// Page of the matching projects.
    /// Roles count on the day `today`. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows.
    ///
    /// An adapter may limit the projects that it examines for one page to no fewer than 100,000. If a page is filled
    /// within that limit but the list continues beyond it, the total may be
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

    /// Keyset page of the matching projects, ordered by id.
    /// The sort order of the filter is ignored, and its `id_after` or `id_before` is the starting point. Matches are
    /// not counted, because a client that walks the whole list would have them counted again for each page. The
    /// projects examined may be limited as for [`Self::list_projects`], from the starting point.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the page cannot be determined within that limit.
    fn list_projects_by_key(
        &mut self,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<KeysetSlice<Project>, StoreError>;
}

/// Resource that a former path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectTarget {
    /// A namespace.
    Namespace(NamespaceId),
    /// A project.
    Project(ProjectId),
}

/// Outcome of inserting a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertNamespace {
    /// The namespace was inserted.
    Inserted(Namespace),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
}

/// Outcome of inserting a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertProject {
    /// The project was inserted.
    Inserted(Box<Project>),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
    /// Another project of the namespace has this name. Nothing was written.
    NameTaken,
}

/// New state of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectChange {
    /// Editable content.
    pub content: ProjectContent,
    /// Namespace.
    pub namespace: Namespace,
    /// True if the project is archived and therefore read-only.
    pub archived: bool,
}

/// Outcome of updating a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveProject {
    /// The project was updated.
    Saved(Box<Project>),
    /// A namespace or project has this full path. Nothing was written.
    PathTaken,
    /// Another project of the namespace has this name. Nothing was written.
    NameTaken,
}

/// Write operations on projects.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
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

    /// Locks a project with its tree of groups, and the trees of these other namespaces, for a transfer to one of them.
    fn lock_project(
        &mut self,
        project: ProjectId,
        others: &[NamespaceId],
    ) -> Result<Option<Locked<Project>>, StoreError>;

    /// Replaces the state of a project at the time `now`.
    /// The caller has locked the tree of its namespace.
    fn update_project(
        &mut self,
        project: Locked<Project>,
        change: &ProjectChange,
        now: Timestamp,
    ) -> Result<SaveProject, StoreError>;

    /// Records activity in projects at these times, in order.
    /// At most one record per project and hour is written, so that a busy project is not written again and again.
    /// Unknown projects are skipped.
    fn touch_projects(&mut self, timestamps: &[(ProjectId, Timestamp)]) -> Result<(), StoreError>;
}

storage::dyn_store! {
    /// A store of namespaces, projects, members, labels and milestones, for use behind `dyn`.
    /// Implemented by every [`Store`](storage::Store) whose transactions have these repository traits.
    pub trait ProjectStore {
        /// Transaction passed to a read closure of a [`ProjectStore`].
        type Read: ProjectReadTx = ProjectQueries
            + DeletionQueries
            + GroupQueries
            + MemberQueries
            + RecordQueries<LabelContent>
            + RecordQueries<MilestoneContent>
            + IssueQueries
            + NoteQueries
            + SnippetQueries
            + SpamQueries
            + ImageQueries;
        /// Transaction passed to a write closure of a [`ProjectStore`].
        type Write: ProjectWriteTx = ProjectRepository
            + DeletionRepository
            + GroupRepository
            + MemberRepository
            + RecordRepository<LabelContent>
            + RecordRepository<MilestoneContent>
            + IssueRepository
            + NoteRepository
            + SnippetRepository
            + SpamRepository
            + ImageRepositories;
    }
}
