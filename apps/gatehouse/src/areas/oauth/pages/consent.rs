//! The page that asks whether an application may act for the user who is signed in.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::PlainSecret;
use askama::Template;

use crate::areas::oauth::pages::destination::Destination;
use crate::frame::page::access::AccessGroup;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::POLICY_TOWARD_APPLICATIONS;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::reauthentication::ReauthenticationReason;
use crate::frame::return_to::sign_in_again_then;

/// A request for consent, as the page shows it. The page's forms send `handle` and the CSRF token to
/// `POST /oauth/authorize`, with `_method=delete` for a denial.
#[derive(Debug)]
pub(crate) struct ConsentPage<'a> {
    /// What the application is called.
    pub(crate) application: &'a str,
    /// The username of who registered it; `None` for an application of the instance.
    pub(crate) owner: Option<&'a str>,
    /// What it asks for.
    pub(crate) scopes: &'a ScopeSet,
    /// What it asks for besides and does not get, because it is not registered for it.
    pub(crate) withheld: &'a ScopeSet,
    /// Where the browser is sent afterwards, as it was registered.
    pub(crate) redirect_uri: &'a str,
    /// What stands for the waiting request.
    pub(crate) handle: &'a PlainSecret,
}

#[derive(Template)]
#[template(path = "areas/oauth/pages/consent.html")]
struct ConsentTemplate<'a> {
    shell: Shell,
    application: ShownName,
    owner: Option<&'a str>,
    user: &'a str,
    groups: Vec<AccessGroup>,
    withheld: Vec<&'a str>,
    destination: Destination,
    another_account: String,
    handle: &'a str,
}

impl ConsentPage<'_> {
    /// Answers with the page. Its policy lets the browser be sent to the application afterwards. The page says who is
    /// signed in, so the frame does not.
    ///
    /// # Errors
    /// When nobody is signed in, who could consent; when the page cannot be written, which is a fault of ours.
    pub(crate) fn show(&self, page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
        let user = page.visitor.user().ok_or_else(PageFailure::not_our_form)?;
        let application = ShownName::of(self.application);
        let title = format!("Authorize {}", application.isolated());
        let mut shell = page.shell(Place::Elsewhere, title);
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
