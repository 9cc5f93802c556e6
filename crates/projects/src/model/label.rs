//! Labels of projects.

use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::time::Timestamp;
use api_conventions::validation::{failure, not_blank};
use validator::{Validate, ValidationError};

use super::{MAX_DESCRIPTION, MAX_NAME};

/// What people write on a label.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct LabelText {
    /// The name, unique in the project, in the case of its letters.
    #[validate(custom(function = "not_blank"), length(max = "MAX_NAME"))]
    pub title: String,
    /// What it is for.
    #[validate(length(max = "MAX_DESCRIPTION"))]
    pub description: Option<String>,
    /// `#rrggbb`, or `#rgb` until [`Self::normalized`]; letters in any case.
    #[validate(custom(function = "is_color"))]
    pub color: String,
    /// Its rank among the labels, from 0.
    #[validate(range(min = 0))]
    pub priority: Option<i64>,
}

impl LabelText {
    /// The same, with the color in six digits, which keep the case in which they were written.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        if self.color.len() == 4 {
            let digits = self.color.chars().skip(1);
            let doubled = digits.flat_map(|digit| [digit, digit]);
            self.color = std::iter::once('#').chain(doubled).collect();
        }
        self
    }
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its id.
    pub id: LabelId,
    /// The project that has it.
    pub project_id: ProjectId,
    /// What is written on it.
    pub text: LabelText,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A label to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLabel {
    /// The project that will have it.
    pub project_id: ProjectId,
    /// What is written on it.
    pub text: LabelText,
    /// Now.
    pub created_at: Timestamp,
}

impl NewLabel {
    /// The label that it becomes under an id.
    pub fn stored(&self, id: LabelId) -> Label {
        Label {
            id,
            project_id: self.project_id,
            text: self.text.clone(),
            created_at: self.created_at,
            updated_at: self.created_at,
        }
    }
}

/// What is to be changed of a label. `None` leaves it as it is, `Some(None)` takes it away.
#[derive(Debug, Clone, Default)]
pub struct LabelEdit {
    /// The name.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<Option<String>>,
    /// The color.
    pub color: Option<String>,
    /// The rank.
    pub priority: Option<Option<i64>>,
}

impl LabelEdit {
    /// The text after the change of `text`.
    pub fn of(&self, text: LabelText) -> LabelText {
        LabelText {
            title: self.title.clone().unwrap_or(text.title),
            description: self.description.clone().unwrap_or(text.description),
            color: self.color.clone().unwrap_or(text.color),
            priority: self.priority.unwrap_or(text.priority),
        }
    }
}

fn is_color(text: &str) -> Result<(), ValidationError> {
    let digits = text.strip_prefix('#').unwrap_or_default();
    if [3, 6].contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(failure("must be a valid color code"))
}
