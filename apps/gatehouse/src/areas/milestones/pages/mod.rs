//! The milestones of a project.

mod change;
mod form;
mod list;
mod show;

use api_conventions::error::ApiError;
use api_conventions::ids::MilestoneIid;
use api_conventions::page::OffsetPage;
use gatehouse_core::database::ReadTransaction;
use projects::{MilestoneContent, MilestoneFilter, ProjectMilestone};
use records::RecordContent as _;
use web_conventions::failure::Failure;
use web_conventions::operations::{Operation, get, post};

use crate::frame::page::project::ProjectContext;

const LIST: &str = "/{project}/-/milestones";
const ONE: &str = "/{project}/-/milestones/{iid}";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("milestonesPage", LIST, list::show),
        get(
            "newMilestonePage",
            "/{project}/-/milestones/new",
            form::show_new,
        ),
        post("createMilestoneForm", LIST, change::create),
        get("milestonePage", ONE, show::show),
        get(
            "editMilestonePage",
            "/{project}/-/milestones/{iid}/edit",
            form::show_edit,
        ),
        post("changeMilestoneForm", ONE, change::change),
    ]
}

/// Finds a milestone by its number in the project.
fn find(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    iid: MilestoneIid,
) -> Result<ProjectMilestone, Failure> {
    let filter = MilestoneFilter {
        iids: vec![iid],
        ..MilestoneFilter::default()
    };
    let page = ProjectMilestone::list(tx, found.project.id, &filter, OffsetPage::new(1, 1))?;
    let milestone = page.items.into_iter().next();
    Ok(milestone.ok_or_else(|| ApiError::not_found(MilestoneContent::NAME))?)
}

/// Path of a milestone's page, below the root of the server.
fn path_of(found: &ProjectContext, milestone: &ProjectMilestone) -> String {
    format!("{}/-/milestones/{}", found.path(), milestone.iid)
}
