//! Pages of the runners of a project or group.

use std::sync::Arc;

use ::pipelines::flow::{CiError, RunnerEdit};
use ::pipelines::model::{Runner, RunnerFilter, RunnersOf};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::RunnerId;
use api_conventions::page::OffsetPage;
use api_conventions::secret::PlainSecret;
use askama::Template;
use gatehouse_core::flows::runners::{
    RunnerError, create_runner, delete_runner, reset_registration_token, update_runner,
};
use web_conventions::operations::{Operation, get, post};

use super::page_parts::{NewSecrets, RunnerForm, RunnerRow, action_of, failure};
use super::page_place::HasRunnersPage;
use super::view::new_token;
use crate::frame::group::Groups;
use crate::frame::page::failure::PageFailure;
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
        post(
            "resetProjectRegistrationTokenForm",
            "/{project}/-/settings/registration_token",
            reset::<Projects>,
        ),
        post(
            "resetGroupRegistrationTokenForm",
            "/groups/{group}/-/settings/registration_token",
            reset::<Groups>,
        ),
    ]
}

#[derive(Template)]
#[template(path = "areas/runners/runners.html")]
struct RunnersPage {
    shell: Shell,
    /// Path of the page, below the root of the server.
    path: String,
    /// Path of the form that resets the registration token.
    reset: String,
    /// Tabs of the settings; none for a group.
    tabs: Vec<Tab>,
    /// Token of the runner that was just created.
    secret: Option<PlainSecret>,
    /// Registration token that was just reset.
    registration: Option<PlainSecret>,
    rows: Vec<RunnerRow>,
    next: Option<u64>,
    previous: Option<u64>,
    form: RunnerForm,
}

async fn list<P: HasRunnersPage>(
    page: PlacePage<P, RoleOrNotFound<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let place = page.read(|_, found| Ok(P::owner_on(found))).await?.0;
    let session = &page.visitor().member(page.request())?.session;
    let shown = NewSecrets::read(page.request(), page.state(), session, place, page.now());
    let subjects = shown.subjects.clone();
    let mut answer = respond(&page, StatusCode::OK, RunnerForm::default(), shown).await?;
    for subject in subjects {
        secret_once::forget(&mut answer, page.state(), subject)?;
    }
    Ok(answer)
}

/// Responds with the page.
async fn respond<P: HasRunnersPage, N: Need>(
    page: &PlacePage<P, N>,
    status: StatusCode,
    form: RunnerForm,
    shown: NewSecrets,
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
        reset: format!("{}/-/settings/registration_token", P::path(&found)),
        tabs: P::tabs(&found),
        secret: shown.runner,
        registration: shown.registration,
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
            let none = NewSecrets::default();
            respond(&form, StatusCode::UNPROCESSABLE_ENTITY, typed, none).await
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

/// Resets the registration token and redirects to the page, which shows it once.
async fn reset<P: HasRunnersPage>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let (vault, actor) = (Arc::clone(&form.state().vault), form.actor()?);
    let reset = form.write(move |tx, found| {
        let place = P::owner_on(found);
        reset_registration_token(tx, &vault, place, actor).map(|secret| (secret, place))
    });
    let (reset, found) = reset.await?;
    let (secret, place) = reset?;
    let path = format!("{}?registration=1", path::<P>(&found));
    let mut answer = form.redirect_with_notice(&path, Notice::RegistrationTokenReset);
    let session = &form.visitor().member(form.request())?.session;
    let (of, now) = (SecretSubject::Registration(place), form.now());
    secret_once::send(&mut answer, form.state(), of, session, &secret, now)?;
    Ok(answer)
}
