//! Making, finding, changing and deleting labels. Whether the caller may do so is the caller's question.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::time::Timestamp;
use api_conventions::validation;
use storage::{StoreError, StoreErrorKind};

use crate::model::{Label, LabelEdit, LabelText, NewLabel};
use crate::store::{InsertLabel, LabelQueries, LabelRepository};

/// Why nothing is done to a label. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// Attributes are wrong; each is named with what is wrong.
    #[error("the label is not valid")]
    Invalid(ValidationFailures),
    /// A label of the project has this title.
    #[error("Label already exists")]
    TitleTaken,
    /// The project has no such label.
    #[error("the project has no such label")]
    Unknown,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<LabelError> for ApiError {
    fn from(error: LabelError) -> Self {
        match error {
            LabelError::Invalid(failures) => Self::validation(&failures),
            LabelError::TitleTaken => Self::already_exists("Label"),
            LabelError::Unknown => Self::not_found("Label"),
            LabelError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}

/// Finds a label by its id, or else by its title, as `reference` names it.
///
/// # Errors
/// [`LabelError::Unknown`], and failures of the store.
pub fn find_label<R: LabelQueries + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    reference: &str,
) -> Result<Label, LabelError> {
    let by_id = match reference.parse() {
        Ok(number) => repos.find_label(project, LabelId::new(number))?,
        Err(_) => None,
    };
    let found = match by_id {
        None => repos.find_label_by_title(project, reference)?,
        found => found,
    };
    found.ok_or(LabelError::Unknown)
}

/// Makes a label.
///
/// # Errors
/// See [`LabelError`].
pub fn create_label<R: LabelRepository + ?Sized>(
    repos: &mut R,
    request: &NewLabel,
) -> Result<Label, LabelError> {
    let new = NewLabel {
        text: checked(request.text.clone())?,
        ..*request
    };
    match repos.insert_label(&new)? {
        InsertLabel::Inserted(label) => Ok(label),
        InsertLabel::TitleTaken => Err(LabelError::TitleTaken),
    }
}

/// Changes a label, and gives it as it is then.
///
/// # Errors
/// See [`LabelError`].
pub fn change_label<R: LabelRepository + ?Sized>(
    repos: &mut R,
    (project, reference): (ProjectId, &str),
    edit: &LabelEdit,
    now: Timestamp,
) -> Result<Label, LabelError> {
    let mut label = find_label(repos, project, reference)?;
    label.text = checked(edit.of(label.text))?;
    label.updated_at = now;
    match repos.update_label(project, label.id, &label.text, now) {
        Ok(true) => Ok(label),
        Ok(false) => Err(LabelError::Unknown),
        Err(error) if error.kind() == StoreErrorKind::Conflict => Err(LabelError::TitleTaken),
        Err(error) => Err(error.into()),
    }
}

/// Deletes a label.
///
/// # Errors
/// [`LabelError::Unknown`], and failures of the store.
pub fn delete_label<R: LabelRepository + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    reference: &str,
) -> Result<(), LabelError> {
    let label = find_label(repos, project, reference)?;
    let deleted = repos.delete_label(project, label.id)?;
    deleted.then_some(()).ok_or(LabelError::Unknown)
}

/// The text as it is stored, when nothing is wrong with it.
fn checked(text: LabelText) -> Result<LabelText, LabelError> {
    let failures = validation::check(&text);
    if !failures.is_empty() {
        return Err(LabelError::Invalid(failures));
    }
    Ok(text.normalized())
}
