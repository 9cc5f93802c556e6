//! Milestones of projects.

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{MilestoneId, MilestoneIid, ProjectId};
use api_conventions::params::ParamReader;
use api_conventions::time::{CalendarDate, Timestamp};
use api_conventions::validation::{failure_of, not_blank};
use records::{FieldValue, RecordContent, StoredRecord};
use validator::{Validate, ValidationError};

/// The longest title, in characters.
pub const MAX_MILESTONE_TITLE: u64 = 255;
/// The longest description, in characters.
pub const MAX_MILESTONE_DESCRIPTION: u64 = 1_000_000;

api_conventions::named! {
    /// State of a milestone.
    #[derive(Default)]
    pub enum MilestoneState {
        /// Active.
        #[default]
        Active = 0, "active";
        /// Closed.
        Closed = 1, "closed";
    }
}

impl MilestoneState {
    /// The names of the events that lead to the states, in the order of the states.
    pub const EVENTS: &'static [&'static str] = &["activate", "close"];
}

/// Parses the name of the event that leads to the state.
impl FieldValue for MilestoneState {
    fn read(reader: &mut ParamReader<'_>, name: &str) -> Option<Self> {
        reader.word(name, |event| match event {
            "activate" => Some(Self::Active),
            "close" => Some(Self::Closed),
            _ => None,
        })
    }
}

records::content! {
    /// Editable content of a milestone.
    /// Milestones are listed by id, the newest first.
    #[derive(Debug, Clone, Default, PartialEq, Eq, Validate)]
    #[validate(schema(function = "ends_after_start", skip_on_field_errors = false))]
    pub struct MilestoneContent, edited by MilestoneEdit {
        /// The title, unique in the project, byte by byte.
        #[validate(custom(function = "not_blank"), length(max = "MAX_MILESTONE_TITLE"))]
        title: String,
        /// Description.
        #[validate(length(max = "MAX_MILESTONE_DESCRIPTION"))]
        description: Option<String>,
        /// State.
        state: MilestoneState,
        /// First day.
        start_date: Option<CalendarDate>,
        /// Last day, which may be the first.
        due_date: Option<CalendarDate>,
    }
}

/// A milestone.
pub type ProjectMilestone = StoredRecord<MilestoneContent>;

/// Filter for the milestones of a project.
/// All conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MilestoneFilter {
    /// Only these numbers; all if empty.
    pub iids: Vec<MilestoneIid>,
    /// Only milestones in this state.
    pub state: Option<MilestoneState>,
    /// Only the one with exactly this title.
    pub title: Option<String>,
    /// Only milestones with this text in the title or the description, in any case.
    pub search: Option<String>,
    /// Only milestones with this text in the title, in any case.
    pub search_title: Option<String>,
    /// Only milestones last changed at this time or later.
    pub updated_after: Option<Timestamp>,
    /// Only milestones last changed at this time or earlier.
    pub updated_before: Option<Timestamp>,
}

impl RecordContent for MilestoneContent {
    const NAME: &'static str = "Milestone";
    type Id = MilestoneId;
    type Owner = ProjectId;
    type Number = MilestoneIid;
    type Fixed = ();
    type Filter = MilestoneFilter;
    type Edit = MilestoneEdit;

    fn edited(self, edit: &MilestoneEdit) -> Self {
        edit.apply(self)
    }

    fn name_conflict() -> ApiError {
        let mut failures = ValidationFailures::default();
        failures.add(
            "title",
            "already being used for another group or project milestone.",
        );
        ApiError::validation(&failures)
    }
}

fn ends_after_start(content: &MilestoneContent) -> Result<(), ValidationError> {
    let days = content.start_date.zip(content.due_date);
    if days.is_some_and(|(start, due)| due < start) {
        return Err(failure_of("due_date", "must be greater than start date"));
    }
    Ok(())
}
