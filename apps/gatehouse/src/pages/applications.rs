//! `/oauth/applications` and `/admin/applications`: registering applications and looking after them. Everybody has
//! their own; those of the instance are the administrators'.

mod area;
mod change;
mod form;
mod secret_once;

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ApplicationId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::PlainSecret;
use askama::Template;
use oauth_provider::flow::applications::find;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{Application, ClientType};
use storage::StoreError;

use self::area::Area;
use super::answer::{PageRequest, id_in_path, see_other};
use super::authorized_applications;
use super::failure::PageFailure;
use super::format::{DisplayTime, ScopeText};
use super::return_to::query_value;
use super::shell::{Place, Shell};
use super::shown_name::ShownName;
use crate::extract::visitor::Visitor;
use crate::http::endpoint::at;
use crate::state::AppState;

/// The applications on a page of a list.
const PER_PAGE: u64 = 50;

/// Mounts the pages.
pub fn configure(service: &mut ServiceConfig) {
    let list = at("/oauth/applications").get(lead_to_list);
    service.service(list.post(change::create).build());
    let list = at("/admin/applications").get(list_of_instance);
    service.service(list.post(change::create).build());
    for base in ["/oauth/applications", "/admin/applications"] {
        service.service(at(&format!("{base}/new")).get(form::show_new).build());
        let edit = at(&format!("{base}/{{id}}/edit")).get(form::show_edit);
        service.service(edit.build());
        let renew = at(&format!("{base}/{{id}}/renew")).post(change::renew);
        service.service(renew.put(change::renew).build());
        let one = at(&format!("{base}/{{id}}")).get(show).post(change::update);
        let one = one.put(change::update).patch(change::update);
        service.service(one.delete(change::update).build());
    }
}

/// An application in a list.
#[derive(Debug, Clone)]
pub(super) struct ListedApplication {
    pub(super) id: ApplicationId,
    pub(super) name: ShownName,
    pub(super) uid: String,
    pub(super) is_confidential: bool,
    pub(super) is_trusted: bool,
    pub(super) since: DisplayTime,
}

/// A page of a list of applications.
#[derive(Debug, Clone)]
pub(super) struct ApplicationList {
    pub(super) items: Vec<ListedApplication>,
    pub(super) next: Option<u64>,
    pub(super) previous: Option<u64>,
}

impl ApplicationList {
    /// Which page of the list a request asks for.
    pub(super) fn asked(request: &HttpRequest) -> OffsetPage {
        let number = query_value(request, "page").and_then(|text| text.parse().ok());
        OffsetPage::new(number.unwrap_or(1).clamp(1, 1000), PER_PAGE)
    }

    /// The page that was found.
    pub(super) fn new(found: &Page<Application>, asked: OffsetPage) -> Self {
        let number = asked.page();
        Self {
            next: found.has_next.then_some(number + 1),
            previous: (number > 1).then(|| number - 1),
            items: found.items.iter().map(ListedApplication::of).collect(),
        }
    }
}

impl ListedApplication {
    fn of(application: &Application) -> Self {
        Self {
            id: application.id,
            name: ShownName::of(&application.name),
            uid: application.uid.as_str().to_owned(),
            is_confidential: application.client_type == ClientType::Confidential,
            is_trusted: application.trusted,
            since: DisplayTime::of(application.created_at),
        }
    }
}

#[derive(Template)]
#[template(path = "admin_applications.html")]
struct InstancePage {
    shell: Shell,
    list: ApplicationList,
}

#[derive(Template)]
#[template(path = "application.html")]
struct ApplicationPage<'a> {
    shell: Shell,
    base: &'static str,
    list: &'static str,
    application: ListedApplication,
    redirect_uris: Vec<&'a str>,
    post_logout_redirect_uris: Vec<&'a str>,
    scopes: Vec<ScopeText>,
    secret: Option<&'a str>,
}

async fn lead_to_list() -> HttpResponse {
    see_other(authorized_applications::PATH).finish()
}

async fn list_of_instance(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let (_, owner) = Area::Instance.enter(&request, &visitor)?;
    let asked = ApplicationList::asked(&request);
    let found = state
        .database
        .read(visitor.lane(), move |tx| tx.list_applications(owner, asked));
    let found: Result<Page<Application>, StoreError> = found.await;
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&InstancePage {
        shell: page.shell(Place::Administration, "Applications of the instance"),
        list: ApplicationList::new(&found?, asked),
    })
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let application = find_in_path(&request, &state, &visitor).await?;
    let session = &visitor.member(&request)?.session;
    let place = (&application, session);
    let secret = secret_once::waiting(&request, &state, place, visitor.now());
    let page = PageRequest::new(&request, &state, &visitor);
    let mut answer = show_application(&page, &application, secret.as_ref())?;
    if secret.is_some() {
        secret_once::forget(&mut answer, &state, application.id)?;
    }
    Ok(answer)
}

/// The application of the path, if it is in the area of the path.
async fn find_in_path(
    request: &HttpRequest,
    state: &AppState,
    visitor: &Visitor,
) -> Result<Application, PageFailure> {
    let (_, owner) = Area::of(request).enter(request, visitor)?;
    let id = ApplicationId::new(id_in_path(request)?);
    let found = state
        .database
        .read(visitor.lane(), move |tx| find(tx, owner, id));
    let found: Result<Option<Application>, StoreError> = found.await;
    found?.ok_or_else(PageFailure::not_found)
}

/// Answers with the page of an application, with its secret when that was just made. It is not shown again.
fn show_application(
    page: &PageRequest<'_>,
    application: &Application,
    secret: Option<&PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let area = Area::of(page.request);
    let redirect_uris = application.redirect_uris.iter();
    let after_sign_out = application.post_logout_redirect_uris.iter();
    page.show(&ApplicationPage {
        shell: page.shell(area.place(), ShownName::of(&application.name).isolated()),
        base: area.base(),
        list: area.list(),
        application: ListedApplication::of(application),
        redirect_uris: redirect_uris.map(RedirectUri::as_str).collect(),
        post_logout_redirect_uris: after_sign_out.map(RedirectUri::as_str).collect(),
        scopes: ScopeText::all(application.scopes),
        secret: secret.map(PlainSecret::reveal),
    })
}
