//! Pages of the access tokens of a project or group, whose bots are members.

use accounts::TokenFilter;
use accounts::flow::issue_token::IssueTokenError;
use accounts::flow::rotate_token::{RotateToken, RotateTokenError, SuccessorExpiry};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::access::AccessLevel;
use api_conventions::error::ApiError;
use api_conventions::ids::TokenId;
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::place_tokens::{
    NewPlaceToken, PlaceTokenError, create_place_token, find_place_token, list_place_tokens,
    revoke_place_token, rotate_place_token, token_kind,
};
use projects::flow::members::MemberError;
use projects::rules::members::name_of;
use web_conventions::failure::Failure;

use super::change::member_actor;
use super::fields::{roles, word_of};
use super::place::MembersPlace;
use crate::frame::new_token::new_secret;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::place::{PlaceForm, PlacePage};
use crate::frame::page::project::{Need, RoleOrForbidden, RoleOrNotFound};
use crate::frame::page::scope_wording::ScopeWording;
use crate::frame::page::side::Section;
use crate::frame::page::token_form::{TokenForm, TokenListQuery};
use crate::frame::page::tokens::{
    NewSecret, TokenHolder, TokenRow, TokenTexts, TokensOwner, TokensPage,
};
use crate::frame::secret_once::{self, SecretSubject};
use crate::state::Behaviour;

const TEXTS: TokenTexts = TokenTexts {
    heading: "Access tokens",
    usage: "Each acts as a bot, which is a member until the token expires.",
    power: "Programs that have it can act as a member within its scopes.",
    empty: "No active tokens.",
    creation: "Create a token",
};

/// Responds with the list of tokens.
pub(super) async fn show<P: MembersPlace>(
    page: PlacePage<P, RoleOrNotFound<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let (request, state) = (page.request(), page.state());
    let of = TokenListQuery::of(request)
        .created
        .map(SecretSubject::Token);
    let session = &page.visitor().member(request)?.session;
    let secret = of.and_then(|of| secret_once::sent(request, state, of, session, page.now()));
    let mut form = TokenForm::default();
    word_of(AccessLevel::Guest).clone_into(&mut form.level);
    let mut answer = respond(&page, StatusCode::OK, form, secret).await?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, state, of)?;
    }
    Ok(answer)
}

/// Responds with the page.
async fn respond<P: MembersPlace, N: Need>(
    page: &PlacePage<P, N>,
    status: StatusCode,
    form: TokenForm,
    secret: Option<PlainSecret>,
) -> Result<HttpResponse, PageFailure> {
    let (query, now) = (TokenListQuery::of(page.request()), page.now());
    let today = now.date();
    let digest = secret.as_ref().map(PlainSecret::digest);
    let read = page.read(move |tx, found| {
        let source = P::members_of(found).source();
        let kind = token_kind(source);
        let created = digest
            .as_ref()
            .map(|digest| tx.find_token_by_digest(digest));
        let created = created.transpose()?.flatten();
        let filter = TokenFilter {
            validity: Some(query.validity(today)),
            ..TokenFilter::of_kind(kind)
        };
        let listed = list_place_tokens(tx, source, &filter, today, query.paging)?;
        Ok((listed, created.filter(|token| token.kind == kind)))
    });
    let ((listed, created), found) = read.await?;
    let registry = &page.state().settings.oauth.policy.scopes;
    let rows = listed.map(|listed| {
        let role = listed.level.map_or("", name_of);
        TokenRow::of(&listed.token, TokenHolder::Bot(role), registry, now)
    });
    let shell = page.shell(&found, Section::Members, TEXTS.heading);
    let mut content = TokensPage::new(shell, &TEXTS, path::<P>(&found), query, rows, today);
    content.new = NewSecret::of(created, secret, now);
    content.choices = form.choices(registry, false, ScopeWording::ToOthers);
    content.roles = roles(|level| P::may(&found, level), &form.level);
    content.form = form;
    content.owner = TokensOwner::Place;
    page.show_with(status, &content)
}

/// Path of the page, below the root of the server.
pub(super) fn path<P: MembersPlace>(found: &P::Context) -> String {
    format!("{}/-/settings/access_tokens", P::path(found))
}

/// Creates a token and redirects to the page, which shows the secret once.
pub(super) async fn create<P: MembersPlace>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let typed = TokenForm::read(&form.form);
    let secret = new_secret(&form.state().settings);
    let created = match new_token(&form, &typed, &secret) {
        Ok(new) => {
            let actor = member_actor(&form);
            let written = form
                .write(move |tx, found| create_place_token(tx, P::members_of(found), &new, actor));
            written.await?
        }
        Err(problem) => return refuse(&form, typed, problem).await,
    };
    match created {
        (Ok(created), found) => redirect(
            &form,
            &found,
            created.token.id,
            &secret,
            Notice::TokenCreated,
        ),
        (Err(PlaceTokenError::Token(problem)), _) => refuse(&form, typed, problem).await,
        (Err(PlaceTokenError::Store(error)), _) => Err(error.into()),
        (Err(_), _) => Err(PageFailure::forbidden()),
    }
}

fn new_token<P: MembersPlace, N: Need>(
    form: &PlaceForm<P, N>,
    typed: &TokenForm,
    secret: &PlainSecret,
) -> Result<NewPlaceToken, IssueTokenError> {
    let state = form.state();
    let creator = form
        .viewer()
        .user_id()
        .ok_or(IssueTokenError::UnknownUser)?;
    let registry = &state.settings.oauth.policy.scopes;
    let mut issue = typed.issue(registry, creator, secret.digest(), form.now())?;
    issue.may_be_endless = state.releases.has(Behaviour::EndlessTokens);
    let level = typed.level.parse().ok().and_then(AccessLevel::from_number);
    Ok(NewPlaceToken {
        issue,
        // A role that is not offered is the least one.
        level: level.unwrap_or(AccessLevel::Guest),
    })
}

async fn refuse<P: MembersPlace, N: Need>(
    form: &PlaceForm<P, N>,
    typed: TokenForm,
    problem: IssueTokenError,
) -> Result<HttpResponse, PageFailure> {
    if let IssueTokenError::Store(error) = problem {
        return Err(error.into());
    }
    let typed = typed.refused(&problem);
    respond(form, StatusCode::UNPROCESSABLE_ENTITY, typed, None).await
}

fn redirect<P: MembersPlace, N: Need>(
    form: &PlaceForm<P, N>,
    found: &P::Context,
    id: TokenId,
    secret: &PlainSecret,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let path = format!("{}?created={id}", path::<P>(found));
    let mut answer = form.redirect_with_notice(&path, notice);
    let (of, session) = (
        SecretSubject::Token(id),
        &form.visitor().member(form.request())?.session,
    );
    secret_once::send(&mut answer, form.state(), of, session, secret, form.now())?;
    Ok(answer)
}

/// Rotates a token, and redirects to the page, which shows the new secret once. The new token has the lifetime of the
/// old one.
pub(super) async fn rotate<P: MembersPlace>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let (id, now) = (TokenId::new(form.number("token_id")?), form.now());
    let secret = new_secret(&form.state().settings);
    let mut rotation = RotateToken::new(id, form.actor_id()?, secret.digest(), now);
    rotation.expiry = SuccessorExpiry::SameLifetime;
    let rotated = form.write(move |tx, found| {
        let source = P::members_of(found).source();
        let token = find_place_token(tx, source, id, now.date())?;
        let token = token.ok_or(RotateTokenError::Unknown)?;
        rotate_place_token(tx, &token, |level| P::may(found, level), &rotation)
    });
    match rotated.await? {
        (Ok(token), found) => redirect(&form, &found, token.id, &secret, Notice::TokenRotated),
        (Err(RotateTokenError::Store(error)), _) => Err(error.into()),
        (Err(RotateTokenError::Revoked), found) => {
            Ok(form.redirect_with_notice(&path::<P>(&found), Notice::TokenAlreadyRevoked))
        }
        (Err(RotateTokenError::Refused), _) => Err(PageFailure::forbidden()),
        (Err(_), _) => Err(PageFailure::not_found()),
    }
}

/// Revokes a token, and ends the role of its bot.
pub(super) async fn revoke<P: MembersPlace>(
    form: PlaceForm<P, RoleOrForbidden<P::Manager>>,
) -> Result<HttpResponse, PageFailure> {
    let (id, actor) = (TokenId::new(form.number("token_id")?), member_actor(&form));
    let revoked = form.write(move |tx, found| {
        let of = P::members_of(found);
        let token = find_place_token(tx, of.source(), id, actor.now.date())?;
        let token = token.ok_or(MemberError::Unknown("Access token"))?.token;
        revoke_place_token(tx, of, &token, actor)
    });
    match revoked.await? {
        (Ok(()), found) => Ok(form.redirect_with_notice(&path::<P>(&found), Notice::TokenRevoked)),
        (Err(MemberError::Store(error)), _) => Err(error.into()),
        (Err(refused), _) => Err(Failure::from(ApiError::from(refused)).into()),
    }
}
