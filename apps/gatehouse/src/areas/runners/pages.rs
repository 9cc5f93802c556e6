//! Pages of the runners of a project or group.

use ::pipelines::flow::{CiError, RunnerEdit, RunnerInput};
use ::pipelines::model::{Runner, RunnerFilter, RunnerInfo, RunnerPlace, RunnersOf};
use ::pipelines::rules::{StatusForm, runner_status};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::RunnerId;
use api_conventions::page::OffsetPage;
use api_conventions::secret::{PlainSecret, SecretDigest};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::runners::{RunnerError, create_runner, delete_runner, update_runner};
use web_conventions::operations::{Operation, get, post};

use super::page_place::HasRunnersPage;
use super::view::new_token;
use crate::frame::form::PageForm;
use crate::frame::group::Groups;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::Tab;
use crate::frame::page::notice::Notice;
use crate::frame::page::place::{PlaceForm, PlacePage};
use crate::frame::page::project::{Need, RoleOrForbidden, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::project::Projects;
use crate::frame::return_to::query_value;
use crate::frame::secret_once::{self, SecretSubject};

/// Runners per page of the list.
const PER_PAGE: u64 = 50;

const OF_PROJECT: &str = "/{project}/-/settings/runners";
const OF_GROUP: &str = "/groups/{group}/-/settings/runners";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("projectRunnersPage", OF_PROJECT, list::<Projects>),
        post("createProjectRunnerForm", OF_PROJECT, create::<Projects>),
        post(
            "changeProjectRunnerForm",
            "/{project}/-/settings/runners/{runner_id}",
            change::<Projects>,
        ),
        get("groupRunnersPage", OF_GROUP, list::<Groups>),
        post("createGroupRunnerForm", OF_GROUP, create::<Groups>),
        post(
            "changeGroupRunnerForm",
            "/groups/{group}/-/settings/runners/{runner_id}",
            change::<Groups>,
        ),
    ]
}

/// Runner in the list.
#[derive(Debug)]
struct RunnerRow {
    id: RunnerId,
    name: DisplayName,
    status: &'static str,
    is_paused: bool,
    tags: String,
    contact: Option<DisplayTime>,
}

impl RunnerRow {
    fn of(runner: &Runner, now: Timestamp) -> Self {
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
struct RunnerForm {
    description: String,
    tags: String,
    /// Error of the form, as a sentence.
    problem: Option<String>,
}

impl RunnerForm {
    fn read(form: &PageForm) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        Self {
            description: text("runner[description]"),
            tags: text("runner[tag_list]"),
            problem: None,
        }
    }

    /// Returns the runner to create.
    fn input(&self, place: RunnerPlace, digest: SecretDigest, actor: Actor) -> RunnerInput {
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
    fn refused(mut self, error: RunnerError) -> Self {
        let sentence = ApiError::from(error).sentence();
        self.problem = Some(format!("Runner not created: {sentence}."));
        self
    }
}

#[derive(Template)]
#[template(path = "areas/runners/runners.html")]
struct RunnersPage {
    shell: Shell,
    /// Path of the page, below the root of the server.
    path: String,
    /// Tabs of the settings; none for a group.
    tabs: Vec<Tab>,
    /// Token of the runner that was just created.
    secret: Option<PlainSecret>,
    rows: Vec<RunnerRow>,
    next: Option<u64>,
    previous: Option<u64>,
    form: RunnerForm,
}

async fn list<P: HasRunnersPage>(
    page: PlacePage<P, RoleOrNotFound<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let created = query_value(page.request(), "created").and_then(|text| text.parse().ok());
    let of = created.map(|id| SecretSubject::Runner(RunnerId::new(id)));
    let session = &page.visitor().member(page.request())?.session;
    let (request, state, now) = (page.request(), page.state(), page.now());
    let secret = of.and_then(|of| secret_once::sent(request, state, of, session, now));
    let mut answer = respond(&page, StatusCode::OK, RunnerForm::default(), secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, page.state(), of)?;
    }
    Ok(answer)
}

/// Responds with the page.
async fn respond<P: HasRunnersPage, N: Need>(
    page: &PlacePage<P, N>,
    status: StatusCode,
    form: RunnerForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let number = query_value(page.request(), "page").and_then(|text| text.parse().ok());
    let number: u64 = number.unwrap_or(1).clamp(1, 1000);
    let read = page.read(move |tx, found| {
        let filter = RunnerFilter::new(RunnersOf::Places(vec![P::owner_on(found)]));
        Ok(tx.list_runners(&filter, OffsetPage::new(number, PER_PAGE))?)
    });
    let (listed, found) = read.await?;
    let now = page.now();
    let row = |mut runner: Runner| {
        page.state().runner_contacts.update(&mut runner);
        RunnerRow::of(&runner, now)
    };
    let content = RunnersPage {
        shell: page.shell(&found, P::SECTION, "Runners"),
        path: path::<P>(&found),
        tabs: P::tabs(&found),
        secret,
        next: listed.has_next.then(|| number + 1),
        previous: (number > 1).then(|| number - 1),
        rows: listed.items.into_iter().map(row).collect(),
        form,
    };
    page.show_with(status, &content)
}

/// Path of the page, below the root of the server.
fn path<P: HasRunnersPage>(found: &P::Context) -> String {
    format!("{}/-/settings/runners", P::path(found))
}

/// Creates a runner and redirects to the page, which shows its token once.
async fn create<P: HasRunnersPage>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let typed = RunnerForm::read(&form.form);
    let (secret, actor) = (new_token(), form.actor()?);
    let (sent, digest) = (typed.clone(), secret.digest());
    let created = form.write(move |tx, found| {
        let input = sent.input(P::owner_on(found), digest, actor);
        create_runner(tx, &input, actor)
    });
    match created.await? {
        (Ok(runner), found) => show_once(&form, &found, &runner, &secret),
        (Err(RunnerError::Runner(CiError::Store(error))), _) => Err(error.into()),
        (Err(refused), _) => {
            let typed = typed.refused(refused);
            respond(&form, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
        }
    }
}

fn show_once<P: HasRunnersPage, N: Need>(
    form: &PlaceForm<P, N>,
    found: &P::Context,
    runner: &Runner,
    secret: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let path = format!("{}?created={}", path::<P>(found), runner.id);
    let mut answer = form.redirect_with_notice(&path, Notice::RunnerCreated);
    let session = &form.visitor().member(form.request())?.session;
    let of = SecretSubject::Runner(runner.id);
    secret_once::send(&mut answer, form.state(), of, session, secret, form.now())?;
    Ok(answer)
}

/// Pauses, resumes or deletes a runner of the place.
async fn change<P: HasRunnersPage>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let id = RunnerId::new(form.number("runner_id")?);
    let actor = form.actor()?;
    let (paused, notice) = action_of(&form.form)?;
    let changed = form.write(move |tx, found| {
        if !tx.list_runner_places(id)?.contains(&P::owner_on(found)) {
            return Err(PageFailure::from(ApiError::not_found("Runner")));
        }
        let edit = RunnerEdit {
            paused,
            ..RunnerEdit::default()
        };
        let done = match paused {
            Some(_) => update_runner(tx, id, &edit, actor),
            None => delete_runner(tx, id, actor),
        };
        done.map(drop).map_err(failure)
    });
    let (changed, found) = changed.await?;
    changed?;
    Ok(form.redirect_with_notice(&path::<P>(&found), notice))
}

/// Parses the action: the new pause, or `None` for the deletion.
fn action_of(form: &PageForm) -> Result<(Option<bool>, Notice), ApiError> {
    match form.text("action") {
        "pause" => Ok((Some(true), Notice::RunnerPaused)),
        "resume" => Ok((Some(false), Notice::RunnerResumed)),
        "delete" => Ok((None, Notice::RunnerDeleted)),
        _ => Err(ApiError::bad_request(
            "action must be pause, resume or delete",
        )),
    }
}

fn failure(error: RunnerError) -> PageFailure {
    match error {
        RunnerError::Runner(CiError::Store(error)) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
