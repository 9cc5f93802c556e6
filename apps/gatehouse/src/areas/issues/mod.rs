//! Issues and incidents of projects.

mod due;
mod edit;
mod filter;
mod filter_parameters;
mod incident_settings;
mod incidents;
mod lists;
mod one;
mod pages;
mod spam;
mod statistics;
mod view;

use api_conventions::error::ApiError;
use projects::flow::issues::IssueError;
use web_conventions::failure::Failure;
use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        lists::operations(),
        statistics::operations(),
        one::operations(),
        incidents::operations(),
        incident_settings::operations(),
        pages::operations(),
    ]
    .concat()
}

/// Tag of the operations in the API document.
const TAG: &str = "issues";

/// Response to a refusal of an issue flow.
/// Store failures keep their cause for the log.
fn refused(error: IssueError) -> Failure {
    match error {
        IssueError::Store(error) => error.into(),
        IssueError::Label(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}
