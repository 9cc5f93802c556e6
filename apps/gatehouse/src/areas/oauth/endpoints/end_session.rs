//! `/oauth/end_session`: RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0).
//! An application requests to sign its user out of this server too.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use oauth_provider::flow::end_session::{EndSession, EndSessionParameters, EndSessionRequest};
use oauth_provider::wire::metadata::paths;
use url::form_urlencoded::{self, Serializer};

use crate::areas::oauth::pages::end_session::EndSessionPage;
use crate::areas::oauth::protocol::authorization::to_signed_in;
use crate::areas::oauth::protocol::end_session::validate;
use crate::frame::cookies;
use crate::frame::csrf;
use crate::frame::page::answer::{PageRequest, append_cookie, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::posted_form::PostedForm;
use crate::frame::return_to::SIGN_IN;
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use gatehouse_core::flows::sign_in::sign_out;
use web_conventions::operations::{Operation, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("requestSignOut", paths::END_SESSION, ask),
        post("signOutByForm", paths::END_SESSION, posted),
    ]
}

/// Signs the user out if the hint proves who it is; otherwise asks for confirmation.
async fn ask(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let pairs: Vec<_> = form_urlencoded::parse(request.query_string().as_bytes())
        .into_owned()
        .collect();
    let meant = read(&state, &pairs, &visitor).await?;
    let page = PageRequest::new(&request, &state, &visitor);
    match meant.decide(visitor.signed_in().map(to_signed_in).as_ref()) {
        EndSession::NotSignedIn | EndSession::Now => end(&page, &meant).await,
        EndSession::Ask => EndSessionPage::new(&meant).show(&page),
    }
}

/// Handles a posted form.
/// A form with the CSRF token of our pages is the user's decision; any other form is a request (section 2). A request
/// is redirected to a link with the same parameters, because the browser does not send our cookie with a form of
/// another site.
async fn posted(
    request: HttpRequest,
    state: Data<AppState>,
    form: PostedForm,
) -> Result<HttpResponse, PageFailure> {
    let pairs = form.pairs();
    if form.has(csrf::FIELD) {
        let visitor = form.into_form().await?.visitor;
        let meant = read(&state, &pairs, &visitor).await?;
        return end(&PageRequest::new(&request, &state, &visitor), &meant).await;
    }
    let known = pairs
        .iter()
        .filter(|(name, _)| EndSessionParameters::knows(name));
    let query = Serializer::new(String::new()).extend_pairs(known).finish();
    let limit = state.settings.server.max_query_bytes;
    if query.len() > limit {
        return Err(ApiError::query_too_long(limit).into());
    }
    Ok(see_other(&format!("{}?{query}", paths::END_SESSION)).finish())
}

/// Parses and validates a request, whether its parameters are in the query or in a form.
async fn read(
    state: &AppState,
    pairs: &[(String, String)],
    visitor: &Visitor,
) -> Result<EndSessionRequest, PageFailure> {
    let pairs = pairs.iter().map(|(name, value)| (&**name, &**value));
    let parameters = EndSessionParameters::from_pairs(pairs)
        .map_err(|error| PageFailure::sign_out_request(&format!("{error}.")))?;
    let validated = validate(state, parameters, visitor.lane(), visitor.now()).await?;
    validated.map_err(|refusal| PageFailure::sign_out_request(refusal.0))
}

/// Ends the session of the browser, if it has one, and redirects to the application or the sign-in page.
async fn end(
    page: &PageRequest<'_>,
    meant: &EndSessionRequest,
) -> Result<HttpResponse, PageFailure> {
    let mut answer = match meant.return_to() {
        Some(address) => see_other(&address).finish(),
        None => page.redirect_with_notice(SIGN_IN, Notice::SignedOut),
    };
    if let Some(found) = page.visitor.any_session() {
        let (session, now) = (found.session.id, page.visitor.now());
        let ended = page.state.write(move |tx| sign_out(tx, session, now));
        ended.await?;
        append_cookie(&mut answer, &cookies::clear_session(page.state))?;
    }
    Ok(answer)
}
