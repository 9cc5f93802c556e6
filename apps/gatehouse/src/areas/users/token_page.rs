//! `/admin/users/{username}/tokens`: personal and impersonation tokens of a user, for administrators.

use accounts::flow::issue_token::{IssueToken, IssueTokenError, issue_token};
use accounts::flow::revoke_token::revoke_token;
use accounts::{TokenFilter, TokenKind, User, UserKind, Username};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::TokenId;
use api_conventions::secret::PlainSecret;
use storage::StoreError;
use web_conventions::operations::{Operation, get, post, unconditional_delete};

use crate::frame::form::AdministratorForm;
use crate::frame::new_token::new_secret;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::scope_wording::ScopeWording;
use crate::frame::page::shell::SiteArea;
use crate::frame::page::token_form::{TokenForm, TokenListQuery};
use crate::frame::page::tokens::{
    NewSecret, TokenHolder, TokenRow, TokenTexts, TokensOwner, TokensPage,
};
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::Administrator;
use crate::state::{AppState, Behaviour};

const LIST: &str = "/admin/users/{username}/tokens";
const ONE: &str = "/admin/users/{username}/tokens/{id}";

const TEXTS: TokenTexts = TokenTexts {
    heading: "Access tokens",
    usage: "Each acts as the user, who does not see impersonation tokens.",
    power: "Programs that have it can act as the user within its scopes.",
    empty: "No active tokens.",
    creation: "Create an impersonation token",
};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listTokensOfUser", LIST, show),
        post("createImpersonationTokenByForm", LIST, create),
        post("revokeTokenOfUserByForm", ONE, revoke),
        unconditional_delete("revokeTokenOfUser", ONE, revoke),
    ]
}

/// Path of the page, below the root of the server; `None` for bots, which have no page.
pub(super) fn path_of(user: &User) -> Option<String> {
    (user.kind == UserKind::Human).then(|| path(user))
}

fn path(user: &User) -> String {
    format!("/admin/users/{}/tokens", user.username.as_str())
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let session = &visitor.administrator(&request)?.session;
    let page = PageRequest::new(&request, &state, &visitor);
    let user = user_in_path(&page).await?;
    let of = TokenListQuery::of(&request)
        .created
        .map(SecretSubject::Token);
    let now = visitor.now();
    let secret = of.and_then(|of| secret_once::sent(&request, &state, of, session, now));
    let mut answer = respond(&page, StatusCode::OK, &user, TokenForm::default(), secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

/// Returns the user of the path, who is no bot.
async fn user_in_path(page: &PageRequest<'_>) -> Result<User, PageFailure> {
    let name = page.request.match_info().get("username");
    let name = name.and_then(|name| Username::parse(name).ok());
    let name = name.ok_or_else(PageFailure::not_found)?;
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        tx.find_user_by_username(name.as_str())
    });
    let found: Result<Option<User>, StoreError> = found.await;
    found?
        .filter(|user| user.kind == UserKind::Human)
        .ok_or_else(PageFailure::not_found)
}

/// Responds with the page.
async fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    user: &User,
    form: TokenForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let (user_id, now) = (user.id, page.visitor.now());
    let today = now.date();
    let query = TokenListQuery::of(page.request);
    let filter = TokenFilter {
        user_id: Some(user_id),
        validity: Some(query.validity(today)),
        ..TokenFilter::default()
    };
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
    let settings = &page.state.settings;
    let registry = &settings.oauth.policy.scopes;
    let rows = listed.map(|token| TokenRow::of(&token, TokenHolder::OtherUser, registry, now));
    let username = user.username.as_str().to_owned();
    let title = format!("{} of @{username}", TEXTS.heading);
    let shell = page.shell(SiteArea::Administration, title);
    let mut content = TokensPage::new(shell, &TEXTS, path(user), query, rows, today);
    content.new = NewSecret::of(created, secret, now);
    content.choices = form.choices(registry, user.is_admin, ScopeWording::ToOthers);
    content.form = form;
    content.owner = TokensOwner::OtherUser {
        username,
        accepts_impersonation: settings.sign_in.accepts_impersonation,
    };
    page.show_with(status, &content)
}

/// Creates an impersonation token and redirects to the page, which shows the secret once.
async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let user = user_in_path(&page).await?;
    if !state.settings.sign_in.accepts_impersonation {
        return Err(impersonation_off());
    }
    let (typed, secret) = (TokenForm::read(&form), new_secret(&state.settings));
    let created = match impersonation_of(&page, &user, &typed, &secret) {
        Ok(issue) => state.write(move |tx| issue_token(tx, issue.clone())).await,
        Err(problem) => Err(problem),
    };
    match created {
        Ok(token) => redirect_to_list(&page, &user, token.id, &secret),
        Err(IssueTokenError::Store(error)) => Err(error.into()),
        Err(problem) => {
            let typed = typed.refused(&problem);
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, &user, typed, None).await
        }
    }
}

fn impersonation_off() -> PageFailure {
    let advice = "This server refuses impersonation tokens. To create one, set tokens.impersonation_enabled to true and restart the server.";
    PageFailure::new(StatusCode::FORBIDDEN, "Impersonation is turned off", advice)
}

/// Returns the request to create an impersonation token, whose author is the administrator.
fn impersonation_of(
    page: &PageRequest<'_>,
    user: &User,
    typed: &TokenForm,
    secret: &PlainSecret,
) -> Result<IssueToken, IssueTokenError> {
    let registry = &page.state.settings.oauth.policy.scopes;
    let mut issue = typed.issue(registry, user.id, secret.digest(), page.visitor.now())?;
    issue.author_id = page.visitor.user().map(|author| author.id);
    issue.kind = TokenKind::Impersonation;
    issue.may_be_endless = page.state.releases.has(Behaviour::EndlessTokens);
    Ok(issue)
}

fn redirect_to_list(
    page: &PageRequest<'_>,
    user: &User,
    id: TokenId,
    secret: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let session = &page.visitor.administrator(page.request)?.session;
    let path = format!("{}?created={id}", path(user));
    let mut answer = page.redirect_with_notice(&path, Notice::TokenCreated);
    let (of, now) = (SecretSubject::Token(id), page.visitor.now());
    secret_once::send(&mut answer, page.state, of, session, secret, now)?;
    Ok(answer)
}

/// Revokes a token of the user.
async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let author = form.visitor.administrator(&request)?.user.id;
    let page = PageRequest::new(&request, &state, &form.visitor);
    let user = user_in_path(&page).await?;
    let id = TokenId::new(id_in_path(&request)?);
    let (user_id, now) = (user.id, form.visitor.now());
    let revoked = state.write(move |tx| match tx.find_token(id)? {
        Some(token) if token.user_id == user_id => {
            revoke_token(tx, id, Some(author), now)?;
            Ok::<_, StoreError>(true)
        }
        _ => Ok(false),
    });
    if revoked.await? {
        Ok(page.redirect_with_notice(&path(&user), Notice::TokenRevoked))
    } else {
        Err(PageFailure::not_found())
    }
}
