//! `/oauth/authorize` (`OAUTH-01`): the authorization endpoint and the consent form.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::secret::PlainSecret;
use oauth_provider::flow::authorize::{AuthorizeParameters, ResponseDelivery};
use oauth_provider::wire::metadata::paths;
use url::form_urlencoded::{self, Serializer};

use crate::areas::oauth::pages::code;
use crate::areas::oauth::pages::consent::ConsentPage;
use crate::areas::oauth::pages::form_post;
use crate::areas::oauth::protocol::authorization::{
    BrowserAuthorization, ConsentRequest, NextStep, approve_request, begin, deny_request,
    to_signed_in,
};
use crate::frame::form::PageForm;
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::posted_form::PostedForm;
use crate::frame::reauthentication::ReauthenticationReason;
use crate::frame::return_to::{query_value, sign_in_again_then, sign_in_then};
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use web_conventions::operations::{Operation, get, post, unconditional_delete};

/// Path of the page that shows a code the server cannot send (out-of-band redirect).
const NATIVE: &str = "/oauth/authorize/native";

/// Seconds that a user may take to return after signing in again.
const COMING_BACK_SECONDS: u32 = 60;

/// Query parameter set after a user signs in because the application requires another account.
/// It breaks the loop for a user who cannot sign in as that account, and grants nothing.
const CHANGED_USER: &str = "changed_user";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("authorize", paths::AUTHORIZE, ask),
        post("authorizeByForm", paths::AUTHORIZE, posted),
        unconditional_delete("denyAuthorization", paths::AUTHORIZE, answer),
        get("showCode", NATIVE, native),
    ]
}

async fn ask(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let pairs: Vec<_> = form_urlencoded::parse(request.query_string().as_bytes()).collect();
    let pairs = pairs
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    let parameters = AuthorizeParameters::from_pairs(pairs)
        .map_err(|error| refusal("invalid_request", &format!("{error}.")))?;
    let authorization = BrowserAuthorization {
        parameters,
        user: visitor.signed_in().map(to_signed_in),
        is_admin: visitor.user().is_some_and(|user| user.is_admin),
        has_changed_user: query_value(&request, CHANGED_USER).is_some(),
        lane: visitor.lane(),
        now: visitor.now(),
    };
    let next = begin(&state, authorization).await?;
    respond_to_step(&PageRequest::new(&request, &state, &visitor), next)
}

/// Handles a posted form.
/// A form with a handle is the user's decision; any other form is an authorization request (OpenID Connect Core 1.0,
/// section 3.1.2.1). An authorization request is redirected to a link with the same parameters, because the browser
/// sends our cookie with a link from another site, but not with a form.
async fn posted(
    request: HttpRequest,
    state: Data<AppState>,
    form: PostedForm,
) -> Result<HttpResponse, PageFailure> {
    if form.has("handle") {
        return answer(request, state, form.into_form().await?).await;
    }
    let in_address = form_urlencoded::parse(request.query_string().as_bytes()).into_owned();
    let sent = in_address.chain(form.pairs());
    let query = Serializer::new(String::new())
        .extend_pairs(sent.filter(|(name, _)| AuthorizeParameters::knows(name)))
        .finish();
    let limit = state.settings.server.max_query_bytes;
    if query.len() > limit {
        return Err(ApiError::query_too_long(limit).into());
    }
    Ok(see_other(&format!("{}?{query}", paths::AUTHORIZE)).finish())
}

/// Applies the user's decision to the stored request.
/// The form carries only its handle, so the parameters cannot change.
async fn answer(
    request: HttpRequest,
    state: Data<AppState>,
    form: PageForm,
) -> Result<HttpResponse, PageFailure> {
    let user = form
        .visitor
        .signed_in()
        .map(to_signed_in)
        .ok_or_else(PageFailure::not_our_form)?;
    let (handle, now) = (form.secret("handle"), form.visitor.now());
    let is_denial = form.method() == "delete" || request.method() == "DELETE";
    let next = if is_denial {
        deny_request(&state, &handle, user, now).await?
    } else {
        approve_request(&state, &handle, user, now).await?
    };
    let next = next.ok_or_else(PageFailure::not_our_form)?;
    respond_to_step(&PageRequest::new(&request, &state, &form.visitor), next)
}

async fn native(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let mut pairs = form_urlencoded::parse(request.query_string().as_bytes());
    let found = pairs
        .find(|(name, _)| name == "code")
        .map(|(_, value)| value.into_owned());
    let found = found
        .filter(|code| !code.is_empty())
        .ok_or_else(PageFailure::not_found)?;
    code::show(
        &PageRequest::new(&request, &state, &visitor),
        &PlainSecret::new(found),
    )
}

fn respond_to_step(page: &PageRequest<'_>, next: NextStep) -> Result<HttpResponse, PageFailure> {
    let here = || {
        page.request
            .uri()
            .path_and_query()
            .map_or("/", |at| at.as_str())
    };
    Ok(match next {
        NextStep::SignIn => see_other(&sign_in_then(here())).finish(),
        NextStep::SignInAgain(why) => {
            see_other(&sign_in_again_then(&signed_in_since(here()), why)).finish()
        }
        NextStep::SignInAsAnother => {
            let back = format!("{}&{CHANGED_USER}=1", here());
            see_other(&sign_in_again_then(
                &back,
                ReauthenticationReason::AnotherAccount,
            ))
            .finish()
        }
        NextStep::Ask(question) => return consent(page, &question),
        NextStep::Respond(delivery) => return respond(page, &delivery),
        NextStep::ShowCode(code) => {
            let query = Serializer::new(String::new())
                .append_pair("code", code.reveal())
                .finish();
            see_other(&format!("{NATIVE}?{query}")).finish()
        }
        NextStep::Refuse { error, description } => return Err(refusal(error, description)),
    })
}

fn respond(
    page: &PageRequest<'_>,
    delivery: &ResponseDelivery,
) -> Result<HttpResponse, PageFailure> {
    match delivery {
        ResponseDelivery::Redirect(address) => Ok(see_other(address).finish()),
        ResponseDelivery::FormPost { action, fields } => form_post::show(page, action, fields),
        _ => Err(PageFailure::from_fault("a response of an unknown kind")),
    }
}

fn consent(page: &PageRequest<'_>, question: &ConsentRequest) -> Result<HttpResponse, PageFailure> {
    let view = ConsentPage {
        application: &question.request.application.name,
        owner: question.owner.as_deref(),
        scopes: &question.request.scopes,
        withheld: &question.request.withheld,
        redirect_uri: &question.request.redirect_uri,
        handle: &question.handle,
    };
    view.show(page)
}

fn refusal(error: &str, description: &str) -> PageFailure {
    PageFailure::authorization(StatusCode::BAD_REQUEST, error, description)
}

/// Rewrites the address of a request: demands to sign in again become a `max_age`.
/// A user who returns right after signing in passes; a user who leaves the sign-in page and returns later does not.
fn signed_in_since(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut max_age = u32::MAX;
    let mut kept = Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "max_age" => max_age = value.parse().unwrap_or(max_age),
            "prompt" => {
                let words = value.split_ascii_whitespace();
                let rest: Vec<&str> = words
                    .filter(|word| !matches!(*word, "login" | "select_account"))
                    .collect();
                if rest.len() < value.split_ascii_whitespace().count() {
                    max_age = max_age.min(COMING_BACK_SECONDS);
                }
                kept.append_pair("prompt", &rest.join(" "));
            }
            _ => {
                kept.append_pair(&name, &value);
            }
        }
    }
    kept.append_pair("max_age", &max_age.max(COMING_BACK_SECONDS).to_string());
    format!("{path}?{}", kept.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_again_becomes_a_greatest_age() {
        let cases = [
            ("prompt=login&state=a%26b", "prompt=&state=a%26b&max_age=60"),
            ("prompt=login+consent", "prompt=consent&max_age=60"),
            ("max_age=0", "max_age=60"),
            ("max_age=3600", "max_age=3600"),
            ("max_age=3600&prompt=select_account", "prompt=&max_age=60"),
        ];
        for (query, expected) in cases {
            let address = signed_in_since(&format!("/oauth/authorize?{query}"));
            assert_eq!(address, format!("/oauth/authorize?{expected}"));
        }
    }
}
