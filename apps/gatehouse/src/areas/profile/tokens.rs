//! `/profile/personal_access_tokens`: the user's access tokens, and a form to create one.

use accounts::TokenFilter;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::secret::PlainSecret;
use storage::StoreError;
use web_conventions::operations::{Operation, get, post, unconditional_delete};

use super::token_forms;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::scope_wording::ScopeWording;
use crate::frame::page::shell::SiteArea;
use crate::frame::page::token_form::{TokenForm, TokenListQuery};
use crate::frame::page::tokens::{NewSecret, TokenHolder, TokenRow, TokenTexts, TokensPage};
use crate::frame::return_to::OWN_TOKENS;
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

pub(super) const PATH: &str = OWN_TOKENS;
const ONE: &str = "/profile/personal_access_tokens/{id}";
const REVOCATION: &str = "/profile/personal_access_tokens/revocation";
const ROTATION: &str = "/profile/personal_access_tokens/{id}/rotate";

const TEXTS: TokenTexts = TokenTexts {
    heading: "Personal access tokens",
    usage: "They use the API as you.",
    power: "Programs that have it can act for you within its scopes.",
    empty: "You have no active tokens.",
    creation: "Create a token",
};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listOwnTokens", PATH, show),
        post("createOwnToken", PATH, token_forms::create),
        post("revokeAllListedTokens", REVOCATION, token_forms::revoke_all),
        post("rotateListedToken", ROTATION, token_forms::rotate),
        post("revokeListedTokenByForm", ONE, token_forms::revoke),
        unconditional_delete("revokeListedToken", ONE, token_forms::revoke),
    ]
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let member = visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &visitor);
    let of = TokenListQuery::of(&request)
        .created
        .map(SecretSubject::Token);
    let now = visitor.now();
    let secret = of.and_then(|of| secret_once::sent(&request, &state, of, &member.session, now));
    let mut answer = respond(&page, StatusCode::OK, TokenForm::default(), secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

/// Responds with the page.
pub(super) async fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    form: TokenForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let member = page.visitor.member(page.request)?;
    let (user_id, now) = (member.user.id, page.visitor.now());
    let today = now.date();
    let query = TokenListQuery::of(page.request);
    let mut filter = TokenFilter::active_personal_of(user_id, today);
    filter.validity = Some(query.validity(today));
    let digest = secret.as_ref().map(PlainSecret::digest);
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        let created = digest
            .as_ref()
            .map(|digest| tx.find_token_by_digest(digest));
        let created = created.transpose()?.flatten();
        Ok::<_, StoreError>((tx.list_tokens(&filter, query.paging)?, created))
    });
    let (listed, created) = found.await?;
    let created = created.filter(|token| token.user_id == user_id);
    let registry = &page.state.settings.oauth.policy.scopes;
    let rows = listed.map(|token| TokenRow::of(&token, TokenHolder::Visitor, registry, now));
    let shell = page.shell(SiteArea::AccessTokens, TEXTS.heading);
    let mut content = TokensPage::new(shell, &TEXTS, PATH.to_owned(), query, rows, today);
    content.new = NewSecret::of(created, secret, now);
    content.choices = form.choices(registry, member.user.is_admin, ScopeWording::ToUser);
    content.form = form;
    page.show_with(status, &content)
}
