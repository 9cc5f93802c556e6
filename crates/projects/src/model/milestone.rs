//! Milestones of projects.

use api_conventions::ids::{MilestoneId, MilestoneIid, ProjectId};
use api_conventions::time::{CalendarDate, Timestamp};
use api_conventions::validation::{failure_of, not_blank};
use validator::{Validate, ValidationError};

/// The longest title, in characters.
pub const MAX_MILESTONE_TITLE: u64 = 255;
/// The longest description, in characters.
pub const MAX_MILESTONE_DESCRIPTION: u64 = 1_000_000;

/// Whether a milestone is still worked towards.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MilestoneState {
    /// It is.
    #[default]
    Active,
    /// It is over.
    Closed,
}

impl MilestoneState {
    /// The names of the states, as lists are filtered by them.
    pub const NAMES: [&'static str; 2] = ["active", "closed"];
    /// The names of what leads to the states, in the same order.
    pub const EVENTS: [&'static str; 2] = ["activate", "close"];

    /// The name in bodies.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed => "closed",
        }
    }

    /// The state with this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Active, Self::Closed]
            .into_iter()
            .find(|state| state.as_str() == name)
    }

    /// The state that an event with this name leads to.
    pub fn after(event: &str) -> Option<Self> {
        match event {
            "activate" => Some(Self::Active),
            "close" => Some(Self::Closed),
            _ => None,
        }
    }
}

/// What people write of a milestone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
#[validate(schema(function = "ends_after_start", skip_on_field_errors = false))]
pub struct MilestoneContent {
    /// The title, unique in the project, byte by byte.
    #[validate(custom(function = "not_blank"), length(max = "MAX_MILESTONE_TITLE"))]
    pub title: String,
    /// What it is for.
    #[validate(length(max = "MAX_MILESTONE_DESCRIPTION"))]
    pub description: Option<String>,
    /// Whether it is over.
    pub state: MilestoneState,
    /// Its first day.
    pub start_date: Option<CalendarDate>,
    /// Its last day, which may be the first.
    pub due_date: Option<CalendarDate>,
}

fn ends_after_start(content: &MilestoneContent) -> Result<(), ValidationError> {
    if content
        .start_date
        .zip(content.due_date)
        .is_some_and(|(start, due)| due < start)
    {
        return Err(failure_of("due_date", "must be greater than start date"));
    }
    Ok(())
}

/// One thing that somebody writes anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MilestoneEdit {
    /// The title.
    Title(String),
    /// The description.
    Description(Option<String>),
    /// The state.
    State(MilestoneState),
    /// The first day.
    StartDate(Option<CalendarDate>),
    /// The last day.
    DueDate(Option<CalendarDate>),
}

impl MilestoneContent {
    /// The content after these edits.
    #[must_use]
    pub fn edited(mut self, edits: &[MilestoneEdit]) -> Self {
        for edit in edits.iter().cloned() {
            match edit {
                MilestoneEdit::Title(title) => self.title = title,
                MilestoneEdit::Description(description) => self.description = description,
                MilestoneEdit::State(state) => self.state = state,
                MilestoneEdit::StartDate(day) => self.start_date = day,
                MilestoneEdit::DueDate(day) => self.due_date = day,
            }
        }
        self
    }
}

/// A milestone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    /// Its id.
    pub id: MilestoneId,
    /// Its number in the project. No other milestone of the project ever has it.
    pub iid: MilestoneIid,
    /// The project.
    pub project_id: ProjectId,
    /// What people wrote.
    pub content: MilestoneContent,
    /// When it was made.
    pub created_at: Timestamp,
    /// When its content last changed.
    pub updated_at: Timestamp,
}

/// A milestone to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMilestone {
    /// The project.
    pub project_id: ProjectId,
    /// What people wrote.
    pub content: MilestoneContent,
    /// Now.
    pub created_at: Timestamp,
}

/// Which milestones of a project to list. All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MilestoneFilter {
    /// Only these numbers; all when there are none.
    pub iids: Vec<MilestoneIid>,
    /// Only those of this state.
    pub state: Option<MilestoneState>,
    /// Only the one with exactly this title.
    pub title: Option<String>,
    /// Only those with this text in the title or the description, in any case.
    pub search: Option<String>,
}
