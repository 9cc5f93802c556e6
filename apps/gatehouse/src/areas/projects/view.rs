//! Project views for the API.

use std::collections::BTreeMap;

use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use api_conventions::paging::{Header, ListAddress, Paging};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::database::ReadTransaction;
use projects::flow::full_names::full_names;
use projects::flow::groups::find_visible_group;
use projects::wire::{FullProject, SharedWithGroup, SimpleProject};
use projects::{FullNames, Membership, NamespaceKind, OpenIssues, Project, ProjectFilter, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use storage::StoreError;

use crate::frame::html::to_html;
use crate::frame::runners_token::RunnersToken;

/// A project, as the caller may view it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Project")]
pub(crate) enum ProjectView {
    // The document lists the variants in this order, and clients take the first that fits.
    Full(Box<DetailedProject>),
    Simple(Box<SimpleProject>),
}

/// A project, with data from outside its own crate.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WholeProject")]
pub(crate) struct DetailedProject {
    #[serde(flatten)]
    project: FullProject,
    /// Owner of the namespace; absent for a project in a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<UserSummary>,
    /// Number of open issues.
    /// Confidential issues count only for Reporters and up.
    open_issues_count: u64,
    /// The description as HTML.
    description_html: String,
    /// Registration token of runners, which only Maintainers see, in the response for a single project.
    #[serde(skip_serializing_if = "Option::is_none")]
    runners_token: Option<RunnersToken>,
}

/// Projects, with the related data for their JSON.
pub(crate) struct ProjectRelations {
    viewer: Viewer,
    names: FullNames,
    memberships: BTreeMap<ProjectId, Membership>,
    owners: BTreeMap<String, User>,
    open_issues: BTreeMap<ProjectId, OpenIssues>,
    shares: Option<Vec<SharedWithGroup>>,
    runners_token: Option<RunnersToken>,
}

impl ProjectRelations {
    /// Loads the related data of projects in a list.
    ///
    /// # Errors
    /// Failures of the store.
    pub(crate) fn read(
        tx: &mut dyn ReadTransaction,
        projects: &[Project],
        viewer: Viewer,
        today: CalendarDate,
    ) -> Result<Self, StoreError> {
        let ids: Vec<ProjectId> = projects.iter().map(|project| project.id).collect();
        let memberships = match viewer.user_id() {
            Some(user) => tx.list_memberships(user, &ids, today)?,
            None => Vec::new(),
        };
        let open_issues = match viewer {
            Viewer::Anonymous => Vec::new(),
            _ => tx.count_open_issues(&ids)?,
        };
        Ok(Self {
            viewer,
            owners: owners(tx, projects, viewer)?,
            open_issues: open_issues.into_iter().collect(),
            names: full_names(tx, projects)?,
            memberships: memberships.into_iter().collect(),
            shares: None,
            runners_token: None,
        })
    }

    /// Loads the related data of a single project, including the groups that it is shared with and that the viewer can
    /// view.
    ///
    /// # Errors
    /// Failures of the store.
    pub(crate) fn read_one(
        tx: &mut dyn ReadTransaction,
        project: &Project,
        viewer: Viewer,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let projects = std::slice::from_ref(project);
        let mut relations = Self::read(tx, projects, viewer, now.date())?;
        let mut shares = Vec::new();
        for share in tx.list_shares(project.id, now.date())? {
            let group = NamespaceRef::Id(share.group_id);
            if let Some((group, _)) = find_visible_group(tx, &group, viewer, now)? {
                shares.push(SharedWithGroup::new(&share, &group));
            }
        }
        relations.shares = Some(shares);
        Ok(relations)
    }

    /// Adds the registration token of runners.
    pub(super) fn with_runners_token(mut self, token: Option<RunnersToken>) -> Self {
        self.runners_token = token;
        self
    }

    /// Returns the view of one of the loaded projects.
    pub(crate) fn show(&self, project: &Project, is_short: bool, base_url: &str) -> ProjectView {
        if is_short || self.viewer == Viewer::Anonymous {
            return ProjectView::Simple(Box::new(SimpleProject::new(
                project,
                &self.names,
                base_url,
            )));
        }
        let membership = self.memberships.get(&project.id);
        let membership = membership.copied().unwrap_or_default();
        let full = FullProject::new(project, &self.names, membership, base_url);
        let open = self.open_issues.get(&project.id).copied();
        let owner = self.owners.get(&owner_key(project));
        ProjectView::Full(Box::new(DetailedProject {
            project: match &self.shares {
                Some(shares) => full.with_shares(shares.clone()),
                None => full,
            },
            owner: owner.map(|owner| UserSummary::new(owner, base_url)),
            open_issues_count: open
                .unwrap_or_default()
                .visible(self.sees_confidential(membership)),
            description_html: to_html(&project.description, base_url),
            runners_token: self.runners_token.clone(),
        }))
    }

    /// True if the viewer can view all confidential issues of a project in which it has these roles.
    fn sees_confidential(&self, membership: Membership) -> bool {
        matches!(self.viewer, Viewer::Administrator(_))
            || membership.highest() >= Some(AccessLevel::Reporter)
    }
}

/// Username of the namespace's owner, in lower case; empty for a group.
/// The path of a user namespace is unique to its user.
fn owner_key(project: &Project) -> String {
    match project.namespace.kind {
        NamespaceKind::User => project.namespace.full_path.lookup_key(),
        NamespaceKind::Group => String::new(),
    }
}

/// Loads the owners of the projects' namespaces, by username in lower case.
fn owners(
    tx: &mut dyn ReadTransaction,
    projects: &[Project],
    viewer: Viewer,
) -> Result<BTreeMap<String, User>, StoreError> {
    let mut names: Vec<String> = projects.iter().map(owner_key).collect();
    names.sort_unstable();
    names.dedup();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    if names.is_empty() || viewer == Viewer::Anonymous {
        return Ok(BTreeMap::new());
    }
    let users = tx.list_users_by_username(&names)?.into_iter();
    Ok(users
        .map(|user| (user.username.as_str().to_lowercase(), user))
        .collect())
}

/// A page of projects, by kind of pagination.
pub(super) enum ProjectResults {
    Offset(OffsetPage, Page<Project>),
    Keyset(KeysetPage, KeysetSlice<Project>),
}

impl ProjectResults {
    /// Loads a page of projects.
    ///
    /// # Errors
    /// Failures of the store.
    pub(super) fn read(
        tx: &mut dyn ReadTransaction,
        filter: &ProjectFilter,
        today: CalendarDate,
        paging: Paging,
    ) -> Result<Self, StoreError> {
        Ok(match paging {
            Paging::Offset(page) => Self::Offset(page, tx.list_projects(filter, today, page)?),
            Paging::Keyset { per_page, sort } => {
                let page = KeysetPage::new(per_page, sort);
                Self::Keyset(page, tx.list_projects_by_key(filter, today, page)?)
            }
        })
    }

    pub(super) fn headers(&self, address: ListAddress<'_>) -> Vec<Header> {
        match self {
            Self::Offset(paging, page) => address.offset_headers(*paging, page),
            Self::Keyset(paging, slice) => {
                let last = slice.items.last().filter(|_| slice.has_next);
                address.keyset_headers(paging.sort(), last.map(|project| project.id.get()))
            }
        }
    }

    pub(super) fn items(&self) -> &[Project] {
        match self {
            Self::Offset(_, page) => &page.items,
            Self::Keyset(_, slice) => &slice.items,
        }
    }
}
