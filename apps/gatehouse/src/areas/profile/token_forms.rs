//! Forms of `/profile/personal_access_tokens`: create, rotate and revoke a token.

use accounts::TokenKind;
use accounts::flow::issue_token::{IssueToken, IssueTokenError, MAX_NAME, issue_token};
use accounts::flow::revoke_token::revoke_own_tokens;
use accounts::flow::rotate_token::{RotateToken, RotateTokenError, SuccessorExpiry, rotate_token};
use accounts::flow::token_access::{TokenAccess, revoke_token_for};
use accounts::model::TOKEN_PREFIX;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::TokenId;
use api_conventions::secret::PlainSecret;
use api_conventions::time::CalendarDate;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::randomness::OsRandomness;

use super::tokens::{PATH, respond};
use crate::frame::form::{PageForm, SignedInForm};
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::secret_once::{self, SecretSubject};
use crate::state::{AppState, Behaviour};

/// Fields of the form.
#[derive(Default)]
pub(super) struct TokenForm {
    pub(super) name: String,
    pub(super) expires_on: String,
    scopes: Vec<String>,
    /// Error of the form, as a sentence.
    pub(super) problem: Option<String>,
}

impl TokenForm {
    fn read(form: &PageForm) -> Self {
        let scopes = form.words("token[scopes]");
        Self {
            name: form.text("token[name]").trim().to_owned(),
            expires_on: form.text("token[expires_at]").trim().to_owned(),
            scopes: scopes.iter().map(ToString::to_string).collect(),
            problem: None,
        }
    }

    pub(super) fn chosen(&self) -> Vec<&str> {
        self.scopes.iter().map(String::as_str).collect()
    }
}

/// Creates a token and redirects to the page, which shows the secret once.
pub(super) async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let member = form.visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    let mut typed = TokenForm::read(&form);
    let secret = PlainSecret::generate(TOKEN_PREFIX, &OsRandomness);
    let issued = match token_of(&page, member, &typed, &secret) {
        Ok(issue) => state.write(move |tx| issue_token(tx, issue.clone())).await,
        Err(problem) => Err(problem),
    };
    match issued {
        Ok(token) => redirect_to_list(&page, member, token.id, &secret, Notice::TokenCreated),
        Err(IssueTokenError::Store(error)) => Err(error.into()),
        Err(problem) => {
            typed.problem = Some(sentence(&problem));
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
        }
    }
}

/// The requested token.
///
/// # Errors
/// If a field has an invalid value.
fn token_of(
    page: &PageRequest<'_>,
    member: &LiveSession,
    typed: &TokenForm,
    secret: &PlainSecret,
) -> Result<IssueToken, IssueTokenError> {
    let registry = &page.state.settings.oauth.policy.scopes;
    let scopes = registry.parse_offered(&typed.scopes.join(" "));
    let scopes = scopes.map_err(|_| IssueTokenError::NoScope)?;
    let (user_id, now) = (member.user.id, page.visitor.now());
    let mut issue = IssueToken::new(
        user_id,
        Some(user_id),
        &*typed.name,
        scopes,
        secret.digest(),
        now,
    );
    issue.may_be_endless = page.state.releases.has(Behaviour::EndlessTokens);
    if !typed.expires_on.is_empty() {
        let day = CalendarDate::parse(&typed.expires_on);
        issue.expires_on = Some(day.ok_or(IssueTokenError::Expiry)?);
    }
    Ok(issue)
}

fn sentence(problem: &IssueTokenError) -> String {
    match problem {
        IssueTokenError::NoName | IssueTokenError::LongName => {
            format!("Enter a name of at most {MAX_NAME} characters.")
        }
        IssueTokenError::NoScope => "Choose at least one scope.".to_owned(),
        IssueTokenError::Expiry => {
            "Enter a day of expiry that is after today and within a year.".to_owned()
        }
        refused => format!("Token not created: {refused}."),
    }
}

fn redirect_to_list(
    page: &PageRequest<'_>,
    member: &LiveSession,
    id: TokenId,
    secret: &PlainSecret,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let path = format!("{PATH}?created={id}");
    let mut answer = page.redirect_with_notice(&path, notice);
    let (of, now) = (SecretSubject::Token(id), page.visitor.now());
    secret_once::send(&mut answer, page.state, of, &member.session, secret, now)?;
    Ok(answer)
}

/// Rotates a token of the user, and redirects to the page, which shows the new secret once. The new token has the
/// lifetime of the old one.
pub(super) async fn rotate(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let member = form.visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    let id = TokenId::new(id_in_path(&request)?);
    let secret = PlainSecret::generate(TOKEN_PREFIX, &OsRandomness);
    let (by, now) = (member.user.id, form.visitor.now());
    let mut rotation = RotateToken::new(id, by, secret.digest(), now);
    rotation.expiry = SuccessorExpiry::SameLifetime;
    let rotated = state.write(move |tx| match tx.find_token(id)? {
        Some(token) if token.user_id == by && token.kind == TokenKind::Personal => {
            rotate_token(tx, &rotation)
        }
        _ => Err(RotateTokenError::Unknown),
    });
    match rotated.await {
        Ok(token) => redirect_to_list(&page, member, token.id, &secret, Notice::TokenRotated),
        Err(RotateTokenError::Store(error)) => Err(error.into()),
        Err(RotateTokenError::Revoked) => {
            Ok(page.redirect_with_notice(PATH, Notice::TokenAlreadyRevoked))
        }
        Err(_) => Err(PageFailure::not_found()),
    }
}

/// Revokes a token of the user.
pub(super) async fn revoke(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let (user_id, now) = (form.visitor.member(&request)?.user.id, form.visitor.now());
    let id = TokenId::new(id_in_path(&request)?);
    let revoked = state.write(move |tx| revoke_token_for(tx, id, user_id, now));
    match revoked.await? {
        TokenAccess::Permitted(_) => {
            let page = PageRequest::new(&request, &state, &form.visitor);
            Ok(page.redirect_with_notice(PATH, Notice::TokenRevoked))
        }
        TokenAccess::Refused | TokenAccess::Unknown => Err(PageFailure::not_found()),
    }
}

/// Revokes all active tokens of the user.
pub(super) async fn revoke_all(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let (user_id, now) = (form.visitor.member(&request)?.user.id, form.visitor.now());
    let revoked = state.write(move |tx| revoke_own_tokens(tx, user_id, now));
    revoked.await?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice(PATH, Notice::AllTokensRevoked))
}
