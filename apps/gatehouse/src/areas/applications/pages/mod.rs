//! `/oauth/applications` and `/admin/applications`: register and manage applications.
//! Users manage their own; administrators manage those of the instance.

mod area;
mod change;
mod form;

use std::ops::Deref;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ApplicationId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::PlainSecret;
use askama::Template;
use oauth_provider::flow::applications::find;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{Application, ApplicationOptions, ClientType};
use storage::StoreError;

use self::area::Area;
use super::authorized;
use crate::frame::form::{AdministratorForm, SignedInForm};
use crate::frame::page::answer::{PageRequest, id_in_path, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, ScopeText};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::query_value;
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::{Administrator, SignedInVisitor, Visitor};
use crate::state::AppState;
use web_conventions::operations::{Operation, get, patch, post, put, unconditional_delete};

/// Applications per page of a list.
const PER_PAGE: u64 = 50;

/// Operations below a path, for the given visitor and form extractors.
macro_rules! below {
    ($base:literal, $what:literal, $list:expr, $visitor:ty, $form:ty) => {
        vec![
            get(concat!("list", $what, "s"), $base, $list),
            post(concat!("create", $what), $base, change::create::<$form>),
            get(
                concat!("new", $what),
                concat!($base, "/new"),
                form::show_new::<$visitor>,
            ),
            get(
                concat!("show", $what),
                concat!($base, "/{id}"),
                show::<$visitor>,
            ),
            get(
                concat!("edit", $what),
                concat!($base, "/{id}/edit"),
                form::show_edit::<$visitor>,
            ),
            post(
                concat!("change", $what, "ByForm"),
                concat!($base, "/{id}"),
                change::update::<$form>,
            ),
            put(
                concat!("replace", $what),
                concat!($base, "/{id}"),
                change::update::<$form>,
            ),
            patch(
                concat!("change", $what),
                concat!($base, "/{id}"),
                change::update::<$form>,
            ),
            unconditional_delete(
                concat!("delete", $what),
                concat!($base, "/{id}"),
                change::update::<$form>,
            ),
            post(
                concat!("renew", $what, "ByForm"),
                concat!($base, "/{id}/renew"),
                change::renew::<$form>,
            ),
            put(
                concat!("renew", $what),
                concat!($base, "/{id}/renew"),
                change::renew::<$form>,
            ),
        ]
    };
}

/// The operations: the same set for own applications and, for administrators, for those of the instance.
pub(super) fn operations() -> Vec<Operation> {
    let own: Vec<Operation> = below!(
        "/oauth/applications",
        "OwnApplication",
        redirect_to_list,
        SignedInVisitor,
        SignedInForm
    );
    let of_instance: Vec<Operation> = below!(
        "/admin/applications",
        "InstanceApplication",
        list_of_instance,
        Administrator,
        AdministratorForm
    );
    [own, of_instance].concat()
}

/// Application in a list.
#[derive(Debug, Clone)]
pub(super) struct ApplicationRow {
    pub(super) id: ApplicationId,
    pub(super) name: DisplayName,
    pub(super) uid: String,
    pub(super) is_confidential: bool,
    pub(super) is_trusted: bool,
    pub(super) since: DisplayTime,
}

/// Page of a list of applications.
#[derive(Debug, Clone)]
pub(super) struct ApplicationList {
    pub(super) items: Vec<ApplicationRow>,
    pub(super) next: Option<u64>,
    pub(super) previous: Option<u64>,
}

impl ApplicationList {
    /// Page of the list that a request selects.
    pub(super) fn paging(request: &HttpRequest) -> OffsetPage {
        let number = query_value(request, "page").and_then(|text| text.parse().ok());
        OffsetPage::new(number.unwrap_or(1).clamp(1, 1000), PER_PAGE)
    }

    /// Builds the list from a page of applications.
    pub(super) fn new(found: &Page<Application>, paging: OffsetPage) -> Self {
        let number = paging.page();
        Self {
            next: found.has_next.then_some(number + 1),
            previous: (number > 1).then(|| number - 1),
            items: found.items.iter().map(ApplicationRow::of).collect(),
        }
    }
}

impl ApplicationRow {
    fn of(application: &Application) -> Self {
        Self {
            id: application.id,
            name: DisplayName::of(&application.name),
            uid: application.uid.as_str().to_owned(),
            is_confidential: application.client_type == ClientType::Confidential,
            is_trusted: application.trusted,
            since: DisplayTime::of(application.created_at),
        }
    }
}

#[derive(Template)]
#[template(path = "areas/applications/admin_applications.html")]
struct InstancePage {
    shell: Shell,
    list: ApplicationList,
}

#[derive(Template)]
#[template(path = "areas/applications/application.html")]
struct ApplicationPage<'a> {
    shell: Shell,
    base: &'static str,
    list: &'static str,
    application: ApplicationRow,
    redirect_uris: Vec<&'a str>,
    post_logout_redirect_uris: Vec<&'a str>,
    scopes: Vec<ScopeText>,
    options: &'a ApplicationOptions,
    secret: Option<&'a str>,
}

async fn redirect_to_list(_: SignedInVisitor) -> HttpResponse {
    see_other(authorized::PATH).finish()
}

async fn list_of_instance(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let (_, owner) = Area::Instance.enter(&request, &visitor)?;
    let paging = ApplicationList::paging(&request);
    let found = state.database.read(visitor.lane(), move |tx| {
        tx.list_applications(owner, paging)
    });
    let found: Result<Page<Application>, StoreError> = found.await;
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&InstancePage {
        shell: page.shell(SiteArea::Administration, "Applications of the instance"),
        list: ApplicationList::new(&found?, paging),
    })
}

async fn show<V: Deref<Target = Visitor>>(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: V,
) -> Result<HttpResponse, PageFailure> {
    let application = find_in_path(&request, &state, &visitor).await?;
    let session = &visitor.member(&request)?.session;
    let of = SecretSubject::Application(application.id);
    let (current, now) = (application.secret, visitor.now());
    let secret = secret_once::waiting(&request, &state, of, session, current, now);
    let page = PageRequest::new(&request, &state, &visitor);
    let mut answer = show_application(&page, &application, secret.as_ref())?;
    if secret.is_some() {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

/// Returns the application of the path, if it belongs to the area of the path.
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

/// Responds with the page of an application, including its secret if it was just generated.
/// The secret is shown only once.
fn show_application(
    page: &PageRequest<'_>,
    application: &Application,
    secret: Option<&PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let area = Area::of(page.request);
    let registry = &page.state.settings.oauth.policy.scopes;
    let redirect_uris = application.redirect_uris.iter();
    let after_sign_out = application.post_logout_redirect_uris.iter();
    page.show(&ApplicationPage {
        shell: page.shell(area.place(), DisplayName::of(&application.name).isolated()),
        base: area.base(),
        list: area.list(),
        application: ApplicationRow::of(application),
        redirect_uris: redirect_uris.map(RedirectUri::as_str).collect(),
        post_logout_redirect_uris: after_sign_out.map(RedirectUri::as_str).collect(),
        scopes: ScopeText::all(registry, &application.scopes),
        options: &application.options,
        secret: secret.map(PlainSecret::reveal),
    })
}
