//! `/profile/applications`: applications that the user registered, and applications that the user authorized.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ApplicationId;
use askama::Template;
use oauth_provider::{ApplicationOwner, AuthorizedApplication, ScopeRegistry};
use storage::StoreError;

use crate::areas::applications::pages::ApplicationList;
use crate::frame::form::SignedInForm;
use crate::frame::page::access::widest;
use crate::frame::page::answer::{PageRequest, id_in_path, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, ScopeText};
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;
use gatehouse_core::flows::oauth::revoke_authorization;
use web_conventions::operations::{Operation, get, post, unconditional_delete};

/// Path of the list.
pub(super) const PATH: &str = "/profile/applications";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let one = "/oauth/authorized_applications/{id}";
    vec![
        get("listAuthorizedApplications", PATH, show),
        post("revokeAuthorizationByForm", one, revoke),
        unconditional_delete("revokeAuthorization", one, revoke),
    ]
}

/// Application that may act for the signed-in user.
struct AuthorizationRow {
    id: ApplicationId,
    name: DisplayName,
    scopes: Vec<ScopeText>,
    since: DisplayTime,
}

impl AuthorizationRow {
    /// Administrator scopes are shown to administrators only, because they have no effect for other users.
    fn of(found: &AuthorizedApplication, registry: &ScopeRegistry, is_admin: bool) -> Self {
        let shown = widest(registry, &found.scopes).into_iter();
        let shown = shown.filter(|entry| is_admin || !entry.is_for_administrators());
        Self {
            id: found.application.id,
            name: DisplayName::of(&found.application.name),
            scopes: shown.map(ScopeText::of).collect(),
            since: DisplayTime::of(found.authorized_at),
        }
    }
}

#[derive(Template)]
#[template(path = "areas/applications/applications.html")]
struct ApplicationsPage {
    shell: Shell,
    own: ApplicationList,
    authorized: Vec<AuthorizationRow>,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let user = &visitor.member(&request)?.user;
    let (user_id, is_admin) = (user.id, user.is_admin);
    let (paging, now) = (ApplicationList::paging(&request), visitor.now());
    let found = state.database.read(visitor.lane(), move |tx| {
        let own = tx.list_applications(ApplicationOwner::User(user_id), paging)?;
        Ok::<_, StoreError>((own, tx.list_authorized_applications(user_id, now)?))
    });
    let (own, authorized) = found.await?;
    let page = PageRequest::new(&request, &state, &visitor);
    let registry = &state.settings.oauth.policy.scopes;
    page.show(&ApplicationsPage {
        shell: page.shell(SiteArea::Applications, "Applications"),
        own: ApplicationList::new(&own, paging),
        authorized: authorized
            .iter()
            .map(|found| AuthorizationRow::of(found, registry, is_admin))
            .collect(),
    })
}

/// Revokes everything granted to an application: its tokens, and its unredeemed codes.
async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let user_id = form.visitor.member(&request)?.user.id;
    let (id, now) = (
        ApplicationId::new(id_in_path(&request)?),
        form.visitor.now(),
    );
    let revoked = state.write(move |tx| revoke_authorization(tx, user_id, id, now));
    if revoked.await? == 0 {
        return Ok(see_other(PATH).finish());
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice(PATH, Notice::AuthorizationRevoked))
}
