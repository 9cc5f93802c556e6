//! The page that asks whether an application may act for the user who is signed in.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::PlainSecret;
use askama::Template;

use super::access::AccessGroup;
use super::answer::PageRequest;
use super::destination::Destination;
use super::failure::PageFailure;
use super::headers::policy_toward;
use super::reauthentication::ReauthenticationReason;
use super::return_to::sign_in_again_then;
use super::shell::{Place, Shell};
use super::shown_name::ShownName;

/// A request for consent, as the page shows it. The page's forms send `handle` and the CSRF token to
/// `POST /oauth/authorize`, with `_method=delete` for a denial.
#[derive(Debug)]
pub struct ConsentPage<'a> {
    /// What the application is called.
    pub application: &'a str,
    /// The username of who registered it; `None` for an application of the instance.
    pub owner: Option<&'a str>,
    /// What it asks for.
    pub scopes: ScopeSet,
    /// Where the browser is sent afterwards, as it was registered.
    pub redirect_uri: &'a str,
    /// What stands for the waiting request.
    pub handle: &'a PlainSecret,
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentTemplate<'a> {
    shell: Shell,
    application: ShownName,
    owner: Option<&'a str>,
    user: &'a str,
    groups: Vec<AccessGroup>,
    destination: Destination,
    another_account: String,
    handle: &'a str,
}

impl ConsentPage<'_> {
    /// Answers with the page. Its policy lets the forms lead to where the browser is sent afterwards. The page says who is
    /// signed in, so the frame does not.
    ///
    /// # Errors
    /// When nobody is signed in, who could consent; when the page cannot be written, which is a fault of ours.
    pub fn show(&self, page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
        let user = page.visitor.user().ok_or_else(PageFailure::not_our_form)?;
        let application = ShownName::of(self.application);
        let title = format!("Authorize {}", application.isolated());
        let mut shell = page.shell(Place::Elsewhere, title);
        shell.user = None;
        let here = page.request.uri().path_and_query();
        let here = here.map_or("/", |address| address.as_str());
        let template = ConsentTemplate {
            shell,
            application,
            owner: self.owner,
            user: user.username.as_str(),
            groups: AccessGroup::all(self.scopes),
            destination: Destination::of(self.redirect_uri),
            another_account: sign_in_again_then(here, ReauthenticationReason::ChooseAccount),
            handle: self.handle.reveal(),
        };
        let policy = policy_toward(self.redirect_uri);
        let html = template.render()?;
        let mut answer = page.begin(StatusCode::OK);
        answer.insert_header((CONTENT_SECURITY_POLICY, policy));
        Ok(answer.body(html))
    }
}
