//! Handlers of the second-factor forms.
//! Each asks for the password again, because the browser may be unattended.

use accounts::RecoveryCode;
use accounts::flow::second_factor::NewSecondFactor;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::secret::SecretDigest;

use super::setup::Setup;
use super::{CodesPage, Problem, factor_of, set_up, status};
use crate::frame::form::{PageForm, SignedInForm};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::SiteArea;
use crate::frame::password_check::{self, done};
use crate::frame::second_factor::sealing_context;
use crate::state::AppState;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::flows::account::{
    PasswordProof, renew_recovery_codes, switch_second_factor_off, switch_second_factor_on,
};
use gatehouse_core::randomness::OsRandomness;

/// Enables or disables the second factor.
pub(super) async fn post(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let member = form.visitor.member(&request)?;
    if form.method() == "delete" || request.method() == "DELETE" {
        switch_off(&page, member, &form).await
    } else {
        switch_on(&page, member, &form).await
    }
}

async fn switch_on(
    page: &PageRequest<'_>,
    member: &LiveSession,
    form: &PageForm,
) -> Result<HttpResponse, PageFailure> {
    if factor_of(page, member).await?.is_some() {
        return Ok(see_other(super::PATH).finish());
    }
    let now = form.visitor.now();
    let (vault, session) = (&page.state.vault, member.session.id);
    let Some(setup) = Setup::open(vault, session, form.text("setup"), now) else {
        return begin_again(page, member);
    };
    let again = |problem| {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        set_up(page, status, member, &setup, Some(problem))
    };
    let typed = form.text("user[otp_attempt]");
    let Some(step) = setup.secret.matching_step(typed, 0, now) else {
        return again(Problem::Code);
    };
    let codes = RecoveryCode::generate_set(&OsRandomness);
    let new_factor = NewSecondFactor::new(
        member.user.id,
        vault.seal(&sealing_context(member.user.id), setup.secret.as_bytes()),
        step,
        digests(&codes),
        now,
    );
    let proof = proof(page, member, form).await?;
    let policy = page.state.settings.sign_in.rules.policy;
    let outcome = page
        .state
        .write(move |tx| switch_second_factor_on(tx, proof.clone(), &new_factor, session, &policy));
    match done(outcome.await?)? {
        Some(_) => show_codes(page, &codes, true),
        None => again(Problem::Password),
    }
}

/// Starts over with a new secret, because the old one was not confirmed in time.
fn begin_again(page: &PageRequest<'_>, member: &LiveSession) -> Result<HttpResponse, PageFailure> {
    let secret = accounts::TimeSecret::generate(&OsRandomness);
    let setup = Setup::new(secret, page.visitor.now());
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    set_up(page, status, member, &setup, Some(Problem::Late))
}

async fn switch_off(
    page: &PageRequest<'_>,
    member: &LiveSession,
    form: &PageForm,
) -> Result<HttpResponse, PageFailure> {
    let proof = proof(page, member, form).await?;
    let (user_id, policy) = (member.user.id, page.state.settings.sign_in.rules.policy);
    let outcome = page
        .state
        .write(move |tx| switch_second_factor_off(tx, proof.clone(), user_id, &policy));
    match done(outcome.await?)? {
        Some(_) => Ok(page.redirect_with_notice("/profile", Notice::SecondFactorOff)),
        None => wrong_password(page, member).await,
    }
}

/// Replaces the recovery codes and shows the new ones.
pub(super) async fn renew_codes(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let member = form.visitor.member(&request)?;
    let codes = RecoveryCode::generate_set(&OsRandomness);
    let (user_id, digests) = (member.user.id, digests(&codes));
    let proof = proof(&page, member, &form).await?;
    let policy = state.settings.sign_in.rules.policy;
    let outcome =
        state.write(move |tx| renew_recovery_codes(tx, proof.clone(), user_id, &digests, &policy));
    match done(outcome.await?)? {
        Some(true) => show_codes(&page, &codes, false),
        Some(false) => Ok(see_other(super::PATH).finish()),
        None => wrong_password(&page, member).await,
    }
}

async fn proof(
    page: &PageRequest<'_>,
    member: &LiveSession,
    form: &PageForm,
) -> Result<PasswordProof, PageFailure> {
    let (login, password) = (
        member.user.username.as_str(),
        form.secret("user[current_password]"),
    );
    password_check::check(page.request, page.state, form, login, password).await
}

async fn wrong_password(
    page: &PageRequest<'_>,
    member: &LiveSession,
) -> Result<HttpResponse, PageFailure> {
    match factor_of(page, member).await? {
        Some(factor) => {
            let problem = Some(Problem::Password);
            status(page, StatusCode::UNPROCESSABLE_ENTITY, &factor, problem)
        }
        None => Ok(see_other(super::PATH).finish()),
    }
}

fn show_codes(
    page: &PageRequest<'_>,
    codes: &[RecoveryCode],
    is_new_factor: bool,
) -> Result<HttpResponse, PageFailure> {
    page.show(&CodesPage {
        shell: page.shell(SiteArea::Profile, "Your recovery codes"),
        codes: codes.iter().map(RecoveryCode::to_groups).collect(),
        is_new_factor,
    })
}

fn digests(codes: &[RecoveryCode]) -> Vec<SecretDigest> {
    codes.iter().map(RecoveryCode::digest).collect()
}
