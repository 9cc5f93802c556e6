//! Labels of projects.

use api_conventions::error::ApiError;
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::validation::{failure, not_blank};
use records::{Content, Record};
use validator::{Validate, ValidationError};

use super::{MAX_DESCRIPTION, MAX_NAME};

records::content! {
    /// What people write on a label. Labels are listed in the order of the characters of their titles.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
    pub struct LabelContent, edited by LabelEdit {
        /// The name, unique in the project, in the case of its letters. Commas separate names wherever labels are named.
        #[validate(custom(function = "not_blank"), custom(function = "without_commas"), length(max = "MAX_NAME"))]
        title: String,
        /// What it is for.
        #[validate(length(max = "MAX_DESCRIPTION"))]
        description: Option<String>,
        /// `#rrggbb`, or `#rgb` until it is [normalized](Content::normalized); letters in any case.
        #[validate(custom(function = "is_color"))]
        color: String,
        /// Its rank among the labels, from 0.
        #[validate(range(min = 0))]
        priority: Option<i64>,
    }
}

/// A label.
pub type Label = Record<LabelContent>;

/// Which labels of a project to list. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelFilter {
    /// Only the one with exactly this title.
    pub title: Option<String>,
    /// Only those with this text in the title or the description, in any case.
    pub search: Option<String>,
}

impl Content for LabelContent {
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

    /// The same, with the color in six digits, which keep the case in which they were written.
    fn normalized(mut self) -> Self {
        if self.color.len() == 4 {
            let digits = self.color.chars().skip(1);
            let doubled = digits.flat_map(|digit| [digit, digit]);
            self.color = std::iter::once('#').chain(doubled).collect();
        }
        self
    }

    fn taken() -> ApiError {
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
