//! Resolution of the references in a text, as far as the viewer may see their targets.
//!
//! References to missing resources and to those the viewer may not see are both left out, so that they stay plain text
//! on the page.

use std::collections::HashSet;

use accounts::UserState;
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertIid, IssueIid};
use api_conventions::page::OffsetPage;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use markdown::{Reference, ResolvedReferences, Target};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use projects::flow::find_visible::find_visible_project;
use projects::rules::issues::sees_issue;
use projects::{
    Label, LabelFilter, MilestoneFilter, Project, ProjectAccess, ProjectMilestone, Viewer,
};
use storage::StoreError;

use crate::database::ReadTransaction;

/// Maximum number of alerts looked up per text: each is loaded with its payload.
const MAX_ALERTS: usize = 20;

/// Context of a text: its project and a viewer who can see it.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceContext<'a> {
    /// The project.
    pub project: &'a Project,
    /// The reader.
    pub viewer: Viewer,
    /// Access of the viewer to the project.
    pub access: ProjectAccess,
    /// Current time: memberships expire.
    pub now: Timestamp,
    /// Public base URL of the server, without a trailing slash.
    pub base_url: &'a str,
}

impl ReferenceContext<'_> {
    /// Returns the URL of a page of the project.
    fn page(&self, rest: &str) -> String {
        self.page_of(self.project, rest)
    }

    /// Returns the URL of a page of another project.
    fn page_of(&self, project: &Project, rest: &str) -> String {
        format!("{}/{}/-/{rest}", self.base_url, project.full_path.as_str())
    }
}

/// Resolves the references of a text to their targets. References that this viewer cannot resolve are left out.
///
/// # Errors
/// Failures of the store.
pub fn resolve(
    tx: &mut dyn ReadTransaction,
    references: &[Reference],
    context: ReferenceContext<'_>,
) -> Result<ResolvedReferences, StoreError> {
    let mut resolved = users(tx, references, context.base_url)?;
    let mut alerts = 0;
    for reference in references {
        let target = match reference {
            Reference::Label(title) => label(tx, title, context)?,
            Reference::Milestone(title) => milestone(tx, title, context)?,
            Reference::Issue { project, iid } => {
                issue(tx, project.as_deref(), IssueIid::new(*iid), context)?
            }
            Reference::Alert { iid } if alerts < MAX_ALERTS => {
                alerts += 1;
                alert(tx, AlertIid::new(*iid), context)?
            }
            _ => None,
        };
        resolved.extend(target.map(|target| (reference.clone(), target)));
    }
    Ok(resolved)
}

/// Resolves the references to users in one query. Blocked users are left out.
fn users(
    tx: &mut dyn ReadTransaction,
    references: &[Reference],
    base_url: &str,
) -> Result<ResolvedReferences, StoreError> {
    let names = references.iter().filter_map(|reference| match reference {
        Reference::User(name) => Some(&**name),
        _ => None,
    });
    let names: Vec<&str> = names.collect::<HashSet<_>>().into_iter().collect();
    if names.is_empty() {
        return Ok(ResolvedReferences::new());
    }
    let found = tx.list_users_by_username(&names)?.into_iter();
    let active = found.filter(|user| user.state == UserState::Active);
    let resolved = active.map(|user| {
        let href = format!("{base_url}/{}", user.username.as_str());
        let title = user.name;
        let reference = Reference::User(user.username.lookup_key());
        (reference, Target { href, title })
    });
    Ok(resolved.collect())
}

/// Resolves a label by its title, to the list of issues with that label.
fn label(
    tx: &mut dyn ReadTransaction,
    title: &str,
    context: ReferenceContext<'_>,
) -> Result<Option<Target>, StoreError> {
    let filter = LabelFilter {
        title: Some(title.to_owned()),
        ..LabelFilter::default()
    };
    let found = Label::list(tx, context.project.id, &filter, OffsetPage::new(1, 1))?;
    Ok(found.items.into_iter().next().map(|label| {
        let name = utf8_percent_encode(&label.content.title, NON_ALPHANUMERIC);
        Target {
            href: context.page(&format!("issues?label_name={name}")),
            title: label.content.description.unwrap_or_default(),
        }
    }))
}

/// Resolves a milestone by its title.
fn milestone(
    tx: &mut dyn ReadTransaction,
    title: &str,
    context: ReferenceContext<'_>,
) -> Result<Option<Target>, StoreError> {
    let filter = MilestoneFilter {
        title: Some(title.to_owned()),
        ..MilestoneFilter::default()
    };
    let found = ProjectMilestone::list(tx, context.project.id, &filter, OffsetPage::new(1, 1))?;
    Ok(found.items.into_iter().next().map(|milestone| Target {
        href: context.page(&format!("milestones/{}", milestone.iid)),
        title: milestone.content.title,
    }))
}

/// Resolves an issue by its number, in the project of the text or in another one that the viewer can see.
fn issue(
    tx: &mut dyn ReadTransaction,
    named: Option<&str>,
    iid: IssueIid,
    context: ReferenceContext<'_>,
) -> Result<Option<Target>, StoreError> {
    let (project, access) = match named {
        None => (context.project.clone(), context.access),
        Some(path) => {
            let Some(reference) = ProjectRef::parse(path) else {
                return Ok(None);
            };
            let found = find_visible_project(tx, &reference, context.viewer, context.now)?;
            let Some(found) = found else {
                return Ok(None);
            };
            found
        }
    };
    let found = tx.find_issue(project.id, iid)?;
    let seen = found.filter(|issue| sees_issue(issue, context.viewer, access));
    Ok(seen.map(|issue| Target {
        href: context.page_of(&project, &format!("issues/{iid}")),
        title: issue.body.content.title,
    }))
}

/// Resolves an alert by its number, for viewers who may read alerts.
fn alert(
    tx: &mut dyn ReadTransaction,
    iid: AlertIid,
    context: ReferenceContext<'_>,
) -> Result<Option<Target>, StoreError> {
    if !context.access.allows(AccessLevel::Developer) {
        return Ok(None);
    }
    let found = tx.find_alert(context.project.id, iid)?;
    Ok(found.map(|alert| Target {
        href: context.page(&format!("alert_management/{iid}/details")),
        title: alert.summary.title,
    }))
}
