//! `/profile/applications`: the applications that you registered, and those that may act for you.

use actix_web::web::{Data, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::ApplicationId;
use api_conventions::scope::Scope;
use askama::Template;
use oauth_provider::{ApplicationOwner, AuthorizedApplication};
use storage::StoreError;

use super::access::widest;
use super::answer::{PageRequest, id_in_path, see_other};
use super::applications::ApplicationList;
use super::failure::PageFailure;
use super::format::{DisplayTime, ScopeText};
use super::notice::Notice;
use super::shell::{Place, Shell};
use super::shown_name::ShownName;
use crate::extract::form::Form;
use crate::extract::visitor::Visitor;
use crate::http::endpoint::at;
use crate::state::AppState;

/// Where the list is.
pub(super) const PATH: &str = "/profile/applications";

/// Mounts the pages.
pub fn configure(service: &mut ServiceConfig) {
    service.service(at(PATH).get(show).build());
    let one = at("/oauth/authorized_applications/{id}");
    service.service(one.post(revoke).delete(revoke).build());
}

/// An application that may act for whoever looks at it.
struct ShownAuthorization {
    id: ApplicationId,
    name: ShownName,
    scopes: Vec<ScopeText>,
    since: DisplayTime,
}

impl ShownAuthorization {
    /// Only administrators are shown `sudo`, because it works for nobody else.
    fn of(found: &AuthorizedApplication, is_admin: bool) -> Self {
        let shown = widest(found.scopes).into_iter();
        let shown = shown.filter(|scope| is_admin || *scope != Scope::Sudo);
        Self {
            id: found.application.id,
            name: ShownName::of(&found.application.name),
            scopes: shown.map(ScopeText::of).collect(),
            since: DisplayTime::of(found.authorized_at),
        }
    }
}

#[derive(Template)]
#[template(path = "applications.html")]
struct ApplicationsPage {
    shell: Shell,
    own: ApplicationList,
    authorized: Vec<ShownAuthorization>,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let user = &visitor.member(&request)?.user;
    let (user_id, is_admin) = (user.id, user.is_admin);
    let (asked, now) = (ApplicationList::asked(&request), visitor.now());
    let found = state.database.read(visitor.lane(), move |tx| {
        let own = tx.list_applications(ApplicationOwner::User(user_id), asked)?;
        Ok::<_, StoreError>((own, tx.list_authorized_applications(user_id, now)?))
    });
    let (own, authorized) = found.await?;
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&ApplicationsPage {
        shell: page.shell(Place::Applications, "Applications"),
        own: ApplicationList::new(&own, asked),
        authorized: authorized
            .iter()
            .map(|found| ShownAuthorization::of(found, is_admin))
            .collect(),
    })
}

/// Ends all that an application was permitted: its tokens, and codes that it has not redeemed.
async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    form: Form,
) -> Result<HttpResponse, PageFailure> {
    let user_id = form.visitor.member(&request)?.user.id;
    let (id, now) = (
        ApplicationId::new(id_in_path(&request)?),
        form.visitor.now(),
    );
    let revoked = state.write(move |tx| tx.revoke_grants_of_user(user_id, Some(id), now));
    if revoked.await? == 0 {
        return Ok(see_other(PATH).finish());
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.lead_to(PATH, Notice::AuthorizationRevoked))
}
