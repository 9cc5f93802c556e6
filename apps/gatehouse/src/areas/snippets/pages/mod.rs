//! Pages of snippets: of users below `/-/snippets`, and of projects.

mod form;
mod list;
mod of_project;
mod of_user;
mod show;

use api_conventions::error::ValidationFailures;
use api_conventions::ids::SnippetId;
use api_conventions::reference::decode_segment;
use projects::flow::snippets::SnippetError;
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::Operation;

use super::raw::{REFS, RequestedFile};
use super::refused;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::held::HeldNotice;
use crate::frame::page::notice::Notice;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [of_user::operations(), of_project::operations()].concat()
}

/// Reason why a form is not saved.
enum SnippetRejection {
    /// Invalid fields.
    Invalid(ValidationFailures),
    /// The content looks like spam.
    Held(Box<HeldNotice>),
}

/// Error of a write.
enum SnippetFormError {
    /// Invalid fields.
    Fields(ValidationFailures),
    /// Failure that is not about a field.
    Whole(Failure),
}

impl SnippetFormError {
    /// Returns the validation failures of the fields.
    ///
    /// # Errors
    /// Failures that are not about a field.
    fn into_fields(self) -> Result<ValidationFailures, PageFailure> {
        match self {
            Self::Fields(failures) => Ok(failures),
            Self::Whole(failure) => Err(failure.into()),
        }
    }
}

impl From<SnippetError> for SnippetFormError {
    fn from(error: SnippetError) -> Self {
        match error {
            SnippetError::Invalid(failures) => Self::Fields(failures),
            other => Self::Whole(refused(other)),
        }
    }
}

impl From<StoreError> for SnippetFormError {
    fn from(error: StoreError) -> Self {
        Self::Whole(error.into())
    }
}

impl From<Failure> for SnippetFormError {
    fn from(failure: Failure) -> Self {
        Self::Whole(failure)
    }
}

/// Reads the file in the path of a page.
///
/// # Errors
/// 404 for another version than the only one, and for text that cannot be decoded.
fn requested_file(request: &actix_web::HttpRequest) -> Result<RequestedFile, PageFailure> {
    let segment = |name| request.match_info().get(name).and_then(decode_segment);
    let is_known = segment("ref").is_some_and(|version| REFS.contains(&&*version));
    let path = segment("file_path").filter(|_| is_known);
    path.map(RequestedFile::At)
        .ok_or_else(PageFailure::not_found)
}

/// Notice after a form was saved: only an existing snippet has an id.
fn saved_notice(id: Option<SnippetId>) -> Notice {
    if id.is_none() {
        Notice::SnippetCreated
    } else {
        Notice::SnippetSaved
    }
}
