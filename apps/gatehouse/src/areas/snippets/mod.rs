//! Snippets of users and projects.

mod edit;
mod pages;
mod personal;
mod project;
mod raw;
mod view;

use api_conventions::error::ApiError;
use projects::flow::snippets::SnippetError;
use web_conventions::failure::Failure;
use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [
        personal::operations(),
        project::operations(),
        pages::operations(),
    ]
    .concat()
}

/// Tag of the operations in the API document.
const TAG: &str = "snippets";

/// Response to a refusal of a snippet flow.
/// Store failures keep their cause for the log.
fn refused(error: SnippetError) -> Failure {
    match error {
        SnippetError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}
