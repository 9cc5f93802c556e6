//! Labels of projects.

use api_conventions::error::ApiError;
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::validation::{failure, not_blank};
use records::{RecordContent, StoredRecord};
use validator::{Validate, ValidationError};

use super::{MAX_DESCRIPTION, MAX_NAME};

records::content! {
    /// Editable content of a label.
    /// Labels are listed by title, character by character.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
    pub struct LabelContent, edited by LabelEdit {
        /// Title, unique in the project, case-sensitive.
        /// Commas are not allowed, because they separate titles in lists of labels.
        #[validate(custom(function = "not_blank"), custom(function = "without_commas"), length(max = "MAX_NAME"))]
        title: String,
        /// Description.
        #[validate(length(max = "MAX_DESCRIPTION"))]
        description: Option<String>,
        /// `#rrggbb`, or `#rgb` until it is [normalized](RecordContent::normalized); letters in any case.
        #[validate(custom(function = "is_color"))]
        color: String,
        /// Priority among the labels, from 0.
        #[validate(range(min = 0))]
        priority: Option<i64>,
    }
}

/// A label.
pub type Label = StoredRecord<LabelContent>;

/// Filter for the labels of a project.
/// All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelFilter {
    /// Only the one with exactly this title.
    pub title: Option<String>,
    /// Only labels with this text in the title or the description, in any case.
    pub search: Option<String>,
}

impl RecordContent for LabelContent {
    const NAME: &'static str = "Label";
    type Id = LabelId;
    type Owner = ProjectId;
    type Number = ();
    type Fixed = ();
    type Filter = LabelFilter;
    type Edit = LabelEdit;

    fn edited(self, edit: &LabelEdit) -> Self {
        edit.apply(self)
    }

    /// Expands the color to six digits, in the case in which they were written.
    fn normalized(mut self) -> Self {
        if self.color.len() == 4 {
            let digits = self.color.chars().skip(1);
            let doubled = digits.flat_map(|digit| [digit, digit]);
            self.color = std::iter::once('#').chain(doubled).collect();
        }
        self
    }

    fn name_conflict() -> ApiError {
        ApiError::already_exists(Self::NAME)
    }
}

fn without_commas(title: &str) -> Result<(), ValidationError> {
    if title.contains(',') {
        return Err(failure("can't contain a comma, which separates labels"));
    }
    Ok(())
}

fn is_color(text: &str) -> Result<(), ValidationError> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    if [3, 6].contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(failure("must be a valid color code"))
}
