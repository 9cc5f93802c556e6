//! Pages of the deploy tokens of a project or group.

use accounts::flow::deploy_tokens::{DeployTokenError, create_deploy_token, delete_deploy_token};
use accounts::{DeployToken, DeployTokenFilter};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::DeployTokenId;
use api_conventions::page::OffsetPage;
use api_conventions::secret::PlainSecret;
use askama::Template;
use web_conventions::operations::{Operation, get, post};

use super::api::new_secret;
use super::form::{DeployTokenForm, DeployTokenRow, NewDeploySecret, ScopeBox};
use super::place::HasDeployTokens;
use crate::frame::group::Groups;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::Tab;
use crate::frame::page::notice::Notice;
use crate::frame::page::place::{PlaceForm, PlacePage};
use crate::frame::page::project::{Need, RoleOrForbidden, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::project::Projects;
use crate::frame::return_to::query_value;
use crate::frame::scopes::{Maintainer, Role as _};
use crate::frame::secret_once::{self, SecretSubject};

/// Tokens per page of the list.
const PER_PAGE: u64 = 50;

const HEADING: &str = "Deploy tokens";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get(
            "projectDeployTokensPage",
            "/{project}/-/settings/deploy_tokens",
            list::<Projects>,
        ),
        post(
            "createProjectDeployTokenForm",
            "/{project}/-/settings/deploy_tokens",
            create::<Projects>,
        ),
        post(
            "deleteProjectDeployTokenForm",
            "/{project}/-/settings/deploy_tokens/{token_id}",
            remove::<Projects>,
        ),
        get(
            "groupDeployTokensPage",
            "/groups/{group}/-/settings/deploy_tokens",
            list::<Groups>,
        ),
        post(
            "createGroupDeployTokenForm",
            "/groups/{group}/-/settings/deploy_tokens",
            create::<Groups>,
        ),
        post(
            "deleteGroupDeployTokenForm",
            "/groups/{group}/-/settings/deploy_tokens/{token_id}",
            remove::<Groups>,
        ),
    ]
}

#[derive(Template)]
#[template(path = "areas/deploy_tokens/deploy_tokens.html")]
struct DeployTokensPage {
    shell: Shell,
    /// Path of the page, below the root of the server.
    path: String,
    /// Tabs of the settings; none for a group.
    tabs: Vec<Tab>,
    new: Option<NewDeploySecret>,
    rows: Vec<DeployTokenRow>,
    next: Option<u64>,
    previous: Option<u64>,
    /// Form to create a token, for visitors who may.
    form: Option<DeployTokenForm>,
    scopes: Vec<ScopeBox>,
    first_day: String,
}

async fn list<P: HasDeployTokens>(
    page: PlacePage<P, RoleOrNotFound<Maintainer>>,
) -> Result<HttpResponse, PageFailure> {
    let created = query_value(page.request(), "created").and_then(|text| text.parse().ok());
    let of = created.map(|id| SecretSubject::DeployToken(DeployTokenId::new(id)));
    let session = &page.visitor().member(page.request())?.session;
    let (request, state, now) = (page.request(), page.state(), page.now());
    let secret = of.and_then(|of| secret_once::sent(request, state, of, session, now));
    let form = DeployTokenForm::default();
    let mut answer = respond(&page, StatusCode::OK, form, secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, page.state(), of)?;
    }
    Ok(answer)
}

/// Responds with the page.
async fn respond<P: HasDeployTokens, N: Need>(
    page: &PlacePage<P, N>,
    status: StatusCode,
    form: DeployTokenForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let number = query_value(page.request(), "page").and_then(|text| text.parse().ok());
    let number: u64 = number.unwrap_or(1).clamp(1, 1000);
    let digest = secret.as_ref().map(PlainSecret::digest);
    let read = page.read(move |tx, found| {
        let place = P::owner_on(found);
        let created = digest
            .as_ref()
            .map(|digest| tx.find_deploy_token_by_digest(digest));
        let filter = DeployTokenFilter {
            place: Some(place),
            unexpired_at: None,
        };
        let listed = tx.list_deploy_tokens(&filter, OffsetPage::new(number, PER_PAGE))?;
        let created = created.transpose()?.flatten();
        Ok((listed, created.filter(|token| token.place == place)))
    });
    let ((listed, created), found) = read.await?;
    let now = page.now();
    let manages = P::allows(P::access(&found), P::Manager::LEAST);
    let content = DeployTokensPage {
        shell: page.shell(&found, P::SECTION, HEADING),
        path: path::<P>(&found),
        tabs: P::tabs(&found),
        new: NewDeploySecret::of(created, secret),
        next: listed.has_next.then(|| number + 1),
        previous: (number > 1).then(|| number - 1),
        rows: listed
            .items
            .iter()
            .map(|token| DeployTokenRow::of(token, now))
            .collect(),
        scopes: form.scopes(),
        form: manages.then_some(form),
        first_day: now
            .date()
            .next()
            .map_or_else(String::new, |day| day.to_string()),
    };
    page.show_with(status, &content)
}

/// Path of the page, below the root of the server.
fn path<P: HasDeployTokens>(found: &P::Context) -> String {
    format!("{}/-/settings/deploy_tokens", P::path(found))
}

/// Creates a token and redirects to the page, which shows the secret once.
async fn create<P: HasDeployTokens>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let typed = DeployTokenForm::read(&form.form);
    let (secret, by, now) = (new_secret(), form.actor_id()?, form.now());
    let (sent, digest) = (typed.clone(), secret.digest());
    let created = form.write(move |tx, found| {
        let request = sent.request(digest, by, now)?;
        create_deploy_token(tx, P::owner_on(found), &request)
    });
    match created.await? {
        (Ok(token), found) => show_once(&form, &found, &token, &secret),
        (Err(DeployTokenError::Store(error)), _) => Err(error.into()),
        (Err(refused), _) => {
            let typed = typed.refused(&refused);
            respond(&form, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
        }
    }
}

fn show_once<P: HasDeployTokens, N: Need>(
    form: &PlaceForm<P, N>,
    found: &P::Context,
    token: &DeployToken,
    secret: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let path = format!("{}?created={}", path::<P>(found), token.id);
    let mut answer = form.redirect_with_notice(&path, Notice::TokenCreated);
    let session = &form.visitor().member(form.request())?.session;
    let of = SecretSubject::DeployToken(token.id);
    secret_once::send(&mut answer, form.state(), of, session, secret, form.now())?;
    Ok(answer)
}

/// Deletes a token, which is invalid from then on.
async fn remove<P: HasDeployTokens>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let id = DeployTokenId::new(form.number("token_id")?);
    let (by, now) = (form.actor_id()?, form.now());
    let deleted = form.write(move |tx, found| {
        let token = tx.find_deploy_token(id)?;
        let place = P::owner_on(found);
        let Some(token) = token.filter(|token| token.place == place) else {
            return Err(PageFailure::from(ApiError::not_found("Deploy token")));
        };
        Ok(delete_deploy_token(tx, &token, by, now)?)
    });
    let (deleted, found) = deleted.await?;
    deleted?;
    Ok(form.redirect_with_notice(&path::<P>(&found), Notice::TokenRevoked))
}
