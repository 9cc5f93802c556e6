//! The repository traits of labels.

use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Label, LabelText, NewLabel};

/// What a transaction of either kind can tell about labels.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
pub trait LabelQueries {
    /// The label of the project with this id.
    fn find_label(&mut self, project: ProjectId, id: LabelId) -> Result<Option<Label>, StoreError>;

    /// The label of the project with exactly this title.
    fn find_label_by_title(
        &mut self,
        project: ProjectId,
        title: &str,
    ) -> Result<Option<Label>, StoreError>;

    /// One page of the labels of the project, in the order of the characters of their titles: those whose title or
    /// description has `search` in it, in any case.
    fn list_labels(
        &mut self,
        project: ProjectId,
        search: Option<&str>,
        page: OffsetPage,
    ) -> Result<Page<Label>, StoreError>;
}

/// What happened to a label that was to be inserted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InsertLabel {
    /// It is there.
    Inserted(Label),
    /// A label of the project has this title. Nothing was written.
    TitleTaken,
}

/// What a write transaction can change about labels.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
pub trait LabelRepository: LabelQueries {
    /// Inserts a label, unless its title is taken in its project.
    fn insert_label(&mut self, label: &NewLabel) -> Result<InsertLabel, StoreError>;

    /// Writes `text` on a label of the project at the time `now`; whether it was there.
    ///
    /// # Errors
    /// [`Conflict`](storage::StoreErrorKind::Conflict) when another label of the project has the title. The transaction is
    /// then to be given up.
    fn update_label(
        &mut self,
        project: ProjectId,
        id: LabelId,
        text: &LabelText,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Deletes a label of the project; whether it was there.
    fn delete_label(&mut self, project: ProjectId, id: LabelId) -> Result<bool, StoreError>;
}
