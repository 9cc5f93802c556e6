//! Forms of `/profile/personal_access_tokens`: create, rotate and revoke a token.

use accounts::TokenKind;
use accounts::flow::issue_token::{IssueTokenError, issue_token};
use accounts::flow::revoke_token::revoke_own_tokens;
use accounts::flow::rotate_token::{RotateToken, RotateTokenError, SuccessorExpiry, rotate_token};
use accounts::flow::token_access::{TokenAccess, revoke_token_for};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::TokenId;
use api_conventions::secret::PlainSecret;
use gatehouse_core::auth::sessions::LiveSession;

use super::tokens::{PATH, respond};
use crate::frame::form::SignedInForm;
use crate::frame::new_token::new_secret;
use crate::frame::page::answer::{PageRequest, id_in_path};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::token_form::TokenForm;
use crate::frame::secret_once::{self, SecretSubject};
use crate::state::{AppState, Behaviour};

/// Creates a token and redirects to the page, which shows the secret once.
pub(super) async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let member = form.visitor.member(&request)?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    let typed = TokenForm::read(&form);
    let secret = new_secret(&state.settings);
    let (registry, now) = (&state.settings.oauth.policy.scopes, form.visitor.now());
    let issue = typed.issue(registry, member.user.id, secret.digest(), now);
    let may_be_endless = state.releases.has(Behaviour::EndlessTokens);
    let issued = match issue {
        Ok(mut issue) => {
            issue.may_be_endless = may_be_endless;
            state.write(move |tx| issue_token(tx, issue.clone())).await
        }
        Err(problem) => Err(problem),
    };
    match issued {
        Ok(token) => redirect_to_list(&page, member, token.id, &secret, Notice::TokenCreated),
        Err(IssueTokenError::Store(error)) => Err(error.into()),
        Err(problem) => {
            let typed = typed.refused(&problem);
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
        }
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
    let secret = new_secret(&state.settings);
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
