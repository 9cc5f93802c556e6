//! Projects as a viewer sees them.

use std::collections::BTreeMap;

use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::access::AccessLevel;
use api_conventions::ids::ProjectId;
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
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

/// A project as this viewer sees it.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Project")]
pub(crate) enum Shown {
    // The document has them in this order, and clients take the first that fits.
    Full(Box<WholeProject>),
    Simple(Box<SimpleProject>),
}

/// A project with what others than its own crate know of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WholeProject {
    #[serde(flatten)]
    project: FullProject,
    /// Whose namespace it is in; a project of a group has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<UserSummary>,
    /// How many issues are open, of those that members of the viewer's role see.
    open_issues_count: u64,
    /// The description as HTML.
    description_html: String,
}

/// Projects with what is shown besides.
pub(crate) struct Described {
    viewer: Viewer,
    names: FullNames,
    memberships: BTreeMap<ProjectId, Membership>,
    owners: BTreeMap<String, User>,
    open_issues: BTreeMap<ProjectId, OpenIssues>,
    shares: Option<Vec<SharedWithGroup>>,
}

impl Described {
    /// Reads what is shown of projects in a list.
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
        })
    }

    /// Reads what is shown of a single project: besides, the groups that it is shared with, as far as the viewer sees them.
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
        let mut described = Self::read(tx, projects, viewer, now.date())?;
        let mut shares = Vec::new();
        for share in tx.list_shares(project.id, now.date())? {
            let group = NamespaceRef::Id(share.group_id);
            if let Some((group, _)) = find_visible_group(tx, &group, viewer, now)? {
                shares.push(SharedWithGroup::new(&share, &group));
            }
        }
        described.shares = Some(shares);
        Ok(described)
    }

    /// A project of those that were described.
    pub(crate) fn show(&self, project: &Project, is_short: bool, base_url: &str) -> Shown {
        if is_short || self.viewer == Viewer::Anonymous {
            return Shown::Simple(Box::new(SimpleProject::new(project, &self.names, base_url)));
        }
        let membership = self.memberships.get(&project.id);
        let membership = membership.copied().unwrap_or_default();
        let full = FullProject::new(project, &self.names, membership, base_url);
        let open = self.open_issues.get(&project.id).copied();
        let owner = self.owners.get(&owner_key(project));
        Shown::Full(Box::new(WholeProject {
            project: match &self.shares {
                Some(shares) => full.with_shares(shares.clone()),
                None => full,
            },
            owner: owner.map(|owner| UserSummary::new(owner, base_url)),
            open_issues_count: open
                .unwrap_or_default()
                .seen(self.sees_confidential(membership)),
            description_html: to_html(&project.description, base_url),
        }))
    }

    /// Whether the viewer sees all confidential issues of a project in which it has these roles.
    fn sees_confidential(&self, membership: Membership) -> bool {
        matches!(self.viewer, Viewer::Administrator(_))
            || membership.highest() >= Some(AccessLevel::Reporter)
    }
}

/// Whom the namespace of a project is named after, if it is a user's: nobody but the user has that path.
fn owner_key(project: &Project) -> String {
    match project.namespace.kind {
        NamespaceKind::User => project.namespace.full_path.lookup_key(),
        NamespaceKind::Group => String::new(),
    }
}

/// The users whose namespaces projects are in, by their usernames in lower case.
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

/// What was found, by the kind of paging that was asked for.
pub(super) enum Found {
    Offset(OffsetPage, Page<Project>),
    Keyset(KeysetPage, Stretch<Project>),
}

impl Found {
    /// Reads a page of projects.
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
            Paging::Offset(asked) => Self::Offset(asked, tx.list_projects(filter, today, asked)?),
            Paging::Keyset { per_page, sort } => {
                let asked = KeysetPage::new(per_page, sort);
                Self::Keyset(asked, tx.list_projects_by_key(filter, today, asked)?)
            }
        })
    }

    pub(super) fn headers(&self, address: ListAddress<'_>) -> Vec<Header> {
        match self {
            Self::Offset(asked, page) => address.offset_headers(*asked, page),
            Self::Keyset(asked, stretch) => {
                let last = stretch.items.last().filter(|_| stretch.has_next);
                address.keyset_headers(asked.sort(), last.map(|project| project.id.get()))
            }
        }
    }

    pub(super) fn items(&self) -> &[Project] {
        match self {
            Self::Offset(_, page) => &page.items,
            Self::Keyset(_, stretch) => &stretch.items,
        }
    }
}
