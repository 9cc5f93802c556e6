//! `/admin/runners`: all runners, for administrators.

use std::sync::Arc;

use ::pipelines::flow::RunnerEdit;
use ::pipelines::model::{ContactState, RunnerFilter, RunnerPlace, RunnerType, RunnersOf};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::RunnerId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::runners::{
    RunnerAndPlaces, delete_runner, reset_registration_token, update_runner, with_places,
};
use projects::Viewer;
use storage::StoreError;
use web_conventions::operations::{Operation, get, post};

use super::page_parts::{NewSecrets, RunnerRow, action_of, failure};
use crate::frame::form::AdministratorForm;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Pager, Tab, total};
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

const PATH: &str = "/admin/runners";

/// Views of the list: name, and value of the parameter `filter`.
const VIEWS: [(&str, &str); 5] = [
    ("All", ""),
    ("Online", "online"),
    ("Offline", "offline"),
    ("Never connected", "not_connected"),
    ("Paused", "paused"),
];

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("runnersPage", PATH, list),
        post("changeRunnerForm", "/admin/runners/{id}", change),
        post(
            "resetInstanceRegistrationTokenForm",
            "/admin/registration_token",
            reset,
        ),
    ]
}

/// Project or group of a runner.
struct PlaceLink {
    name: String,
    path: String,
}

/// Runner in the list.
struct AdminRunnerRow {
    runner: RunnerRow,
    /// True for a runner of the instance.
    is_shared: bool,
    places: Vec<PlaceLink>,
}

#[derive(Template)]
#[template(path = "areas/runners/admin_runners.html")]
struct AdminRunnersPage {
    shell: Shell,
    total: String,
    tabs: Vec<Tab>,
    rows: Vec<AdminRunnerRow>,
    pager: Pager,
    /// Registration token that was just reset.
    registration: Option<PlainSecret>,
}

async fn list(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let session = &visitor.administrator(&request)?.session;
    let place = RunnerPlace::Instance;
    let shown = NewSecrets::read(&request, &state, session, place, visitor.now());
    let subjects = shown.subjects.clone();
    let page = PageRequest::new(&request, &state, &visitor);
    let content = content(&page, &visitor, shown).await?;
    let mut answer = page.show_with(StatusCode::OK, &content)?;
    for subject in subjects {
        secret_once::forget(&mut answer, &state, subject)?;
    }
    Ok(answer)
}

/// Loads the content of the page.
async fn content(
    page: &PageRequest<'_>,
    visitor: &Administrator,
    shown: NewSecrets,
) -> Result<AdminRunnersPage, PageFailure> {
    let query = ListQuery::of(page.request)?;
    let (paging, now) = (query.paging()?, visitor.now());
    let filter = filter_of(&query, page.state, now);
    let listed = load(page.state, visitor, filter, paging).await?;
    Ok(AdminRunnersPage {
        shell: page.shell(SiteArea::Administration, "Runners"),
        total: total(listed.total, "runner", "runners"),
        tabs: tabs(&query),
        pager: Pager::new(&query, paging, &listed),
        rows: rows_of(page.state, listed, now),
        registration: shown.registration,
    })
}

fn filter_of(query: &ListQuery, state: &AppState, now: Timestamp) -> RunnerFilter {
    let contact = match query.text("filter") {
        "online" => Some(ContactState::Online),
        "offline" => Some(ContactState::Offline),
        "not_connected" => Some(ContactState::NotConnected),
        _ => None,
    };
    let mut filter = RunnerFilter::new(RunnersOf::Everything);
    filter.paused = (query.text("filter") == "paused").then_some(true);
    filter.contact = contact.map(|contact| state.runner_contacts.filter(contact, now));
    filter
}

fn tabs(query: &ListQuery) -> Vec<Tab> {
    let tab = |(name, value): (&'static str, &str)| Tab {
        name,
        href: query.with(&[("filter", value)]),
        count: String::new(),
        is_current: query.text("filter") == value,
    };
    VIEWS.into_iter().map(tab).collect()
}

/// Loads a page of runners with their places.
async fn load(
    state: &AppState,
    visitor: &Administrator,
    filter: RunnerFilter,
    paging: OffsetPage,
) -> Result<Page<RunnerAndPlaces>, StoreError> {
    let (viewer, now): (Viewer, Timestamp) = (visitor.viewer(), visitor.now());
    let found = state.database.read(visitor.lane(), move |tx| {
        let page = tx.list_runners(&filter, paging)?;
        let mut items = Vec::with_capacity(page.items.len());
        for runner in page.items {
            items.push(with_places(tx, viewer, runner, now)?);
        }
        Ok(Page {
            items,
            has_next: page.has_next,
            total: page.total,
        })
    });
    found.await
}

fn rows_of(state: &AppState, listed: Page<RunnerAndPlaces>, now: Timestamp) -> Vec<AdminRunnerRow> {
    let row = |mut loaded: RunnerAndPlaces| {
        state.runner_contacts.update(&mut loaded.runner);
        let groups = loaded.groups.iter().map(|group| PlaceLink {
            name: group.full_path.as_str().to_owned(),
            path: format!("/groups/{}", group.full_path.as_str()),
        });
        let projects = loaded.projects.iter().map(|project| PlaceLink {
            name: project.full_path.as_str().to_owned(),
            path: format!("/{}", project.full_path.as_str()),
        });
        AdminRunnerRow {
            is_shared: loaded.runner.runner_type == RunnerType::Instance,
            places: groups.chain(projects).collect(),
            runner: RunnerRow::of(&loaded.runner, now),
        }
    };
    listed.items.into_iter().map(row).collect()
}

/// Pauses, resumes or deletes a runner.
async fn change(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let id = RunnerId::new(id_in_path(&request)?);
    let actor = actor_of(&request, &form)?;
    let (paused, notice) = action_of(&form)?;
    let changed = state.write(move |tx| {
        let edit = RunnerEdit {
            paused,
            ..RunnerEdit::default()
        };
        let done = match paused {
            Some(_) => update_runner(tx, id, &edit, actor),
            None => delete_runner(tx, id, actor),
        };
        done.map(drop)
    });
    changed.await.map_err(failure)?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice(PATH, notice))
}

/// Resets the registration token of the instance and redirects to the page, which shows it once.
async fn reset(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let (vault, actor) = (Arc::clone(&state.vault), actor_of(&request, &form)?);
    let place = RunnerPlace::Instance;
    let reset = state.write(move |tx| reset_registration_token(tx, &vault, place, actor));
    let secret: Result<PlainSecret, StoreError> = reset.await;
    let secret = secret?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    let path = format!("{PATH}?registration=1");
    let mut answer = page.redirect_with_notice(&path, Notice::RegistrationTokenReset);
    let session = &form.visitor.administrator(&request)?.session;
    let of = SecretSubject::Registration(place);
    secret_once::send(&mut answer, &state, of, session, &secret, actor.now)?;
    Ok(answer)
}

fn actor_of(request: &HttpRequest, form: &AdministratorForm) -> Result<Actor, PageFailure> {
    Ok(Actor {
        id: form.visitor.administrator(request)?.user.id,
        viewer: form.visitor.viewer(),
        now: form.visitor.now(),
    })
}
