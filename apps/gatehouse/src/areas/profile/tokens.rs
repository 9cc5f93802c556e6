//! `/profile/personal_access_tokens`: the user's access tokens, and a form to create one.

use accounts::flow::issue_token::MAX_NAME;
use accounts::{AccessToken, TokenFilter, TokenValidity};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::TokenId;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::PlainSecret;
use api_conventions::time::{CalendarDate, Timestamp};
use askama::Template;
use oauth_provider::ScopeRegistry;
use storage::StoreError;
use web_conventions::operations::{Operation, get, post, unconditional_delete};

use super::token_forms::{self, TokenForm};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, ScopeText};
use crate::frame::page::scope_choice::ScopeChoice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::query_value;
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::token_expiry;
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

pub(super) const PATH: &str = "/profile/personal_access_tokens";
const ONE: &str = "/profile/personal_access_tokens/{id}";
const REVOCATION: &str = "/profile/personal_access_tokens/revocation";
const ROTATION: &str = "/profile/personal_access_tokens/{id}/rotate";

/// Tokens per page of the list.
const PER_PAGE: u64 = 50;

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

/// Token in the list.
struct OwnTokenRow {
    id: TokenId,
    name: DisplayName,
    scopes: Vec<ScopeText>,
    since: DisplayTime,
    last_used: Option<DisplayTime>,
    /// First day on which the token is no longer valid; `None` if it never expires.
    expires_on: Option<CalendarDate>,
    /// True if the token expires soon.
    is_near_expiry: bool,
    is_revoked: bool,
}

impl OwnTokenRow {
    fn of(token: &AccessToken, registry: &ScopeRegistry, now: Timestamp) -> Self {
        Self {
            id: token.id,
            name: DisplayName::of(&token.name),
            scopes: ScopeText::all(registry, &token.scopes),
            since: DisplayTime::at(token.created_at, now),
            last_used: token.last_used_at.map(|at| DisplayTime::at(at, now)),
            expires_on: token.expiry(),
            is_near_expiry: token_expiry::is_near(token.expires_on.start(), now),
            is_revoked: token.state != accounts::TokenState::Active,
        }
    }
}

/// Token that was just created, with its secret.
struct NewSecret {
    name: DisplayName,
    secret: PlainSecret,
}

#[derive(Template)]
#[template(path = "areas/profile/tokens.html")]
struct TokensPage {
    shell: Shell,
    new: Option<NewSecret>,
    rows: Vec<OwnTokenRow>,
    shows_invalid: bool,
    next: Option<u64>,
    previous: Option<u64>,
    form: TokenForm,
    choices: Vec<ScopeChoice>,
    longest_name: usize,
    first_day: String,
    last_day: String,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let member = visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &visitor);
    let of = created_token(&request).map(SecretSubject::Token);
    let now = visitor.now();
    let secret = of.and_then(|of| secret_once::sent(&request, &state, of, &member.session, now));
    let mut answer = respond(&page, StatusCode::OK, TokenForm::default(), secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

/// Id of the token that was just created, which the redirect after the form names.
fn created_token(request: &HttpRequest) -> Option<TokenId> {
    let id = query_value(request, "created")?;
    id.parse().ok().map(TokenId::new)
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
    let shows_invalid = query_value(page.request, "state").as_deref() == Some("inactive");
    let mut filter = TokenFilter::active_personal_of(user_id, today);
    if shows_invalid {
        filter.validity = Some(TokenValidity::Invalid(today));
    }
    let number = query_value(page.request, "page").and_then(|text| text.parse().ok());
    let paging = OffsetPage::new(number.unwrap_or(1).clamp(1, 1000), PER_PAGE);
    let digest = secret.as_ref().map(PlainSecret::digest);
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        let created = match &digest {
            Some(digest) => tx.find_token_by_digest(digest)?,
            None => None,
        };
        Ok::<_, StoreError>((tx.list_tokens(&filter, paging)?, created))
    });
    let (listed, created): (Page<AccessToken>, _) = found.await?;
    let created = created.filter(|token| token.user_id == user_id && token.is_usable(now));
    let named = created.zip(secret).map(|(token, secret)| NewSecret {
        name: DisplayName::of(&token.name),
        secret,
    });
    let registry = &page.state.settings.oauth.policy.scopes;
    let row = |token: &AccessToken| OwnTokenRow::of(token, registry, now);
    page.show_with(
        status,
        &TokensPage {
            shell: page.shell(SiteArea::AccessTokens, "Personal access tokens"),
            new: named,
            rows: listed.items.iter().map(row).collect(),
            shows_invalid,
            next: listed.has_next.then(|| paging.page() + 1),
            previous: (paging.page() > 1).then(|| paging.page() - 1),
            choices: ScopeChoice::all(registry, &form.chosen(), member.user.is_admin),
            form,
            longest_name: MAX_NAME,
            first_day: today.next().map_or_else(String::new, |day| day.to_string()),
            last_day: today
                .plus_one_year()
                .map_or_else(String::new, |day| day.to_string()),
        },
    )
}
