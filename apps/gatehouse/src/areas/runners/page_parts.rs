//! Parts that the pages of runners share.

use ::pipelines::flow::{CiError, RunnerEdit, RunnerInput};
use ::pipelines::model::{Runner, RunnerInfo, RunnerPlace};
use ::pipelines::rules::{StatusForm, runner_status};
use accounts::Session;
use actix_web::HttpRequest;
use api_conventions::error::ApiError;
use api_conventions::ids::RunnerId;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::runners::RunnerError;

use crate::frame::form::PageForm;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::return_to::query_value;
use crate::frame::secret_once::{self, SecretSubject};
use crate::state::AppState;

/// Tokens that a page shows once.
#[derive(Debug, Default)]
pub(super) struct NewSecrets {
    /// Authentication token of a new runner.
    pub(super) runner: Option<PlainSecret>,
    /// New registration token.
    pub(super) registration: Option<PlainSecret>,
    /// Their subjects.
    pub(super) subjects: Vec<SecretSubject>,
}

impl NewSecrets {
    /// Reads the tokens that the address of a page of a place names.
    pub(super) fn read(
        request: &HttpRequest,
        state: &AppState,
        session: &Session,
        place: RunnerPlace,
        now: Timestamp,
    ) -> Self {
        let id = query_value(request, "created").and_then(|text| text.parse().ok());
        let runner = id.map(|id| SecretSubject::Runner(RunnerId::new(id)));
        let registration = query_value(request, "registration");
        let registration = registration.map(|_| SecretSubject::Registration(place));
        let sent = |of| secret_once::sent(request, state, of, session, now);
        Self {
            runner: runner.and_then(sent),
            registration: registration.and_then(sent),
            subjects: runner.into_iter().chain(registration).collect(),
        }
    }
}

/// Runner in the list.
#[derive(Debug)]
pub(super) struct RunnerRow {
    pub(super) id: RunnerId,
    pub(super) name: DisplayName,
    pub(super) status: &'static str,
    pub(super) is_paused: bool,
    pub(super) tags: String,
    pub(super) contact: Option<DisplayTime>,
}

impl RunnerRow {
    /// Creates the row of a runner.
    pub(super) fn of(runner: &Runner, now: Timestamp) -> Self {
        let description = runner.settings.description.as_str();
        let unnamed = format!("Runner {}", runner.id);
        let name = if description.is_empty() {
            &unnamed
        } else {
            description
        };
        let status = match runner_status(runner, StatusForm::ContactOnly, now) {
            "online" => "Online",
            "offline" => "Offline",
            _ => "Never connected",
        };
        Self {
            id: runner.id,
            name: DisplayName::of(name),
            status,
            is_paused: runner.settings.paused,
            tags: runner.settings.tags.join(", "),
            contact: runner.contacted_at.map(|at| DisplayTime::at(at, now)),
        }
    }
}

/// Fields of the form.
#[derive(Debug, Clone, Default)]
pub(super) struct RunnerForm {
    pub(super) description: String,
    pub(super) tags: String,
    /// Error of the form, as a sentence.
    pub(super) problem: Option<String>,
}

impl RunnerForm {
    /// Reads the fields.
    pub(super) fn read(form: &PageForm) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        Self {
            description: text("runner[description]"),
            tags: text("runner[tag_list]"),
            problem: None,
        }
    }

    /// Returns the runner to create.
    pub(super) fn input(
        &self,
        place: RunnerPlace,
        digest: SecretDigest,
        actor: Actor,
    ) -> RunnerInput {
        let edit = RunnerEdit {
            description: Some(self.description.clone()),
            tags: Some(self.tags.split(',').map(str::to_owned).collect()),
            ..RunnerEdit::default()
        };
        RunnerInput {
            place,
            edit,
            info: RunnerInfo::default(),
            digest,
            creator_id: actor.id,
            now: actor.now,
        }
    }

    /// Returns the form with the error of a refused runner.
    #[must_use]
    pub(super) fn refused(mut self, error: RunnerError) -> Self {
        let sentence = ApiError::from(error).sentence();
        self.problem = Some(format!("Runner not created: {sentence}."));
        self
    }
}

/// Parses the action: the new pause, or `None` for the deletion.
pub(super) fn action_of(form: &PageForm) -> Result<(Option<bool>, Notice), ApiError> {
    match form.text("action") {
        "pause" => Ok((Some(true), Notice::RunnerPaused)),
        "resume" => Ok((Some(false), Notice::RunnerResumed)),
        "delete" => Ok((None, Notice::RunnerDeleted)),
        _ => Err(ApiError::bad_request(
            "action must be pause, resume or delete",
        )),
    }
}

/// Converts an error of a flow to the failure of a page.
pub(super) fn failure(error: RunnerError) -> PageFailure {
    match error {
        RunnerError::Runner(CiError::Store(error)) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
