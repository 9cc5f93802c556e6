//! Consent page: asks the signed-in user to authorize an application.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use askama::Template;

use crate::areas::oauth::pages::destination::Destination;
use crate::frame::page::access::AccessGroup;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::POLICY_TOWARD_APPLICATIONS;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::reauthentication::ReauthenticationReason;
use crate::frame::return_to::sign_in_again_then;

/// Request for consent.
/// The forms of the page send `handle` and the CSRF token to `POST /oauth/authorize`, with `_method=delete` for a
/// denial.
#[derive(Debug)]
pub(crate) struct ConsentPage<'a> {
    /// Name of the application.
    pub(crate) application: &'a str,
    /// Username of the owner; `None` for an application of the instance.
    pub(crate) owner: Option<&'a str>,
    /// Requested scopes.
    pub(crate) scopes: &'a ScopeSet,
    /// Requested scopes that are withheld, because the application is not registered for them.
    pub(crate) withheld: &'a ScopeSet,
    /// Registered URI to which the browser is redirected afterwards.
    pub(crate) redirect_uri: &'a str,
    /// Handle of the stored request.
    pub(crate) handle: &'a PlainSecret,
}

#[derive(Template)]
#[template(path = "areas/oauth/pages/consent.html")]
struct ConsentTemplate<'a> {
    shell: Shell,
    application: DisplayName,
    owner: Option<&'a str>,
    user: &'a str,
    groups: Vec<AccessGroup>,
    withheld: Vec<&'a str>,
    destination: Destination,
    another_account: String,
    handle: &'a str,
}

impl ConsentPage<'_> {
    /// Responds with the page.
    /// Its policy allows the redirect to the application afterwards. The page names the signed-in user itself, so the
    /// frame does not.
    ///
    /// # Errors
    /// If the visitor is not signed in; if the template fails to render, which is a bug.
    pub(crate) fn show(&self, page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
        let user = page.visitor.user().ok_or_else(PageFailure::not_our_form)?;
        let application = DisplayName::of(self.application);
        let title = format!("Authorize {}", application.isolated());
        let mut shell = page.shell(SiteArea::Focused, title);
        shell.user = None;
        let here = page.request.uri().path_and_query();
        let here = here.map_or("/", |address| address.as_str());
        let registry = &page.state.settings.oauth.policy.scopes;
        let template = ConsentTemplate {
            shell,
            application,
            owner: self.owner,
            user: user.username.as_str(),
            groups: AccessGroup::all(registry, self.scopes),
            withheld: self.withheld.iter().map(Scope::as_str).collect(),
            destination: Destination::of(self.redirect_uri),
            another_account: sign_in_again_then(here, ReauthenticationReason::ChooseAccount),
            handle: self.handle.reveal(),
        };
        let html = template.render()?;
        let mut answer = page.begin(StatusCode::OK);
        answer.insert_header((CONTENT_SECURITY_POLICY, POLICY_TOWARD_APPLICATIONS));
        Ok(answer.body(html))
    }
}
