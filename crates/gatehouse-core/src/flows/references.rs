//! What a text refers to, as far as a viewer may know of it.
//!
//! Whatever is not there and whatever the viewer may not see is left out alike, so that it stays text on the page.

use std::collections::HashSet;

use accounts::UserState;
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertIid, IssueIid};
use api_conventions::page::OffsetPage;
use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use markdown::{Reference, Resolved, Target};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use projects::flow::find_visible::find_visible_project;
use projects::rules::issues::sees_issue;
use projects::{Label, LabelFilter, Milestone, MilestoneFilter, Project, ProjectAccess, Viewer};
use storage::StoreError;

use crate::database::ReadTransaction;

/// How many alerts of a text are looked up: each comes with its payload.
const MAX_ALERTS: usize = 20;

/// Where a text stands, for somebody who sees that place.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The project.
    pub project: &'a Project,
    /// Who reads.
    pub viewer: Viewer,
    /// What the viewer may do in it.
    pub access: ProjectAccess,
    /// When: a membership may be over by then.
    pub now: Timestamp,
    /// How clients reach the server, without a slash at the end.
    pub base_url: &'a str,
}

impl Place<'_> {
    /// An address below the project's own pages.
    fn page(&self, rest: &str) -> String {
        self.page_of(self.project, rest)
    }

    /// An address below the pages of a project.
    fn page_of(&self, project: &Project, rest: &str) -> String {
        format!("{}/{}/-/{rest}", self.base_url, project.full_path.as_str())
    }
}

/// Where the references of a text lead. What is missing in the answer leads nowhere for this viewer.
///
/// # Errors
/// Failures of the store.
pub fn resolve(
    tx: &mut dyn ReadTransaction,
    asked: &[Reference],
    place: Place<'_>,
) -> Result<Resolved, StoreError> {
    let mut resolved = users(tx, asked, place.base_url)?;
    let mut alerts = 0;
    for reference in asked {
        let target = match reference {
            Reference::Label(title) => label(tx, title, place)?,
            Reference::Milestone(title) => milestone(tx, title, place)?,
            Reference::Issue { project, iid } => {
                issue(tx, project.as_deref(), IssueIid::new(*iid), place)?
            }
            Reference::Alert { iid } if alerts < MAX_ALERTS => {
                alerts += 1;
                alert(tx, AlertIid::new(*iid), place)?
            }
            _ => None,
        };
        resolved.extend(target.map(|target| (reference.clone(), target)));
    }
    Ok(resolved)
}

/// The users among the references, all in one query. Those who are blocked are not shown.
fn users(
    tx: &mut dyn ReadTransaction,
    asked: &[Reference],
    base_url: &str,
) -> Result<Resolved, StoreError> {
    let names = asked.iter().filter_map(|reference| match reference {
        Reference::User(name) => Some(&**name),
        _ => None,
    });
    let names: Vec<&str> = names.collect::<HashSet<_>>().into_iter().collect();
    if names.is_empty() {
        return Ok(Resolved::new());
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

/// The label with this title. It leads to the issues that have it.
fn label(
    tx: &mut dyn ReadTransaction,
    title: &str,
    place: Place<'_>,
) -> Result<Option<Target>, StoreError> {
    let filter = LabelFilter {
        title: Some(title.to_owned()),
        ..LabelFilter::default()
    };
    let found = Label::list(tx, place.project.id, &filter, OffsetPage::new(1, 1))?;
    Ok(found.items.into_iter().next().map(|label| {
        let name = utf8_percent_encode(&label.content.title, NON_ALPHANUMERIC);
        Target {
            href: place.page(&format!("issues?label_name={name}")),
            title: label.content.description.unwrap_or_default(),
        }
    }))
}

/// The milestone with this title.
fn milestone(
    tx: &mut dyn ReadTransaction,
    title: &str,
    place: Place<'_>,
) -> Result<Option<Target>, StoreError> {
    let filter = MilestoneFilter {
        title: Some(title.to_owned()),
        ..MilestoneFilter::default()
    };
    let found = Milestone::list(tx, place.project.id, &filter, OffsetPage::new(1, 1))?;
    Ok(found.items.into_iter().next().map(|milestone| Target {
        href: place.page(&format!("milestones/{}", milestone.iid)),
        title: milestone.content.title,
    }))
}

/// The issue with this number, in the project of the text or in another one that the viewer sees.
fn issue(
    tx: &mut dyn ReadTransaction,
    named: Option<&str>,
    iid: IssueIid,
    place: Place<'_>,
) -> Result<Option<Target>, StoreError> {
    let (project, access) = match named {
        None => (place.project.clone(), place.access),
        Some(path) => {
            let Some(reference) = ProjectRef::parse(path) else {
                return Ok(None);
            };
            let found = find_visible_project(tx, &reference, place.viewer, place.now)?;
            let Some(found) = found else {
                return Ok(None);
            };
            found
        }
    };
    let found = tx.find_issue(project.id, iid)?;
    let seen = found.filter(|issue| sees_issue(issue, place.viewer, access));
    Ok(seen.map(|issue| Target {
        href: place.page_of(&project, &format!("issues/{iid}")),
        title: issue.body.content.title,
    }))
}

/// The alert with this number, for those who may read alerts.
fn alert(
    tx: &mut dyn ReadTransaction,
    iid: AlertIid,
    place: Place<'_>,
) -> Result<Option<Target>, StoreError> {
    if !place.access.allows(AccessLevel::Developer) {
        return Ok(None);
    }
    let found = tx.find_alert(place.project.id, iid)?;
    Ok(found.map(|alert| Target {
        href: place.page(&format!("alert_management/{iid}/details")),
        title: alert.summary.title,
    }))
}
