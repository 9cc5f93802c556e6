//! Confirmation page for a sign-out that an application requested.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use askama::Template;
use oauth_provider::flow::end_session::EndSessionRequest;
use oauth_provider::wire::metadata::paths;

use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::POLICY_TOWARD_APPLICATIONS;
use crate::frame::page::shell::{Shell, SiteArea};

/// Sign-out request to confirm.
/// The page's form sends the parameters back with the CSRF token, and the server validates them again.
#[derive(Debug)]
pub(crate) struct EndSessionPage<'a> {
    meant: &'a EndSessionRequest,
}

#[derive(Template)]
#[template(path = "areas/oauth/pages/end_session.html")]
struct EndSessionTemplate<'a> {
    shell: Shell,
    action: &'static str,
    user: &'a str,
    application: Option<&'a str>,
    fields: Vec<(&'static str, &'a str)>,
}

impl<'a> EndSessionPage<'a> {
    /// Creates the page for a request.
    pub(crate) fn new(meant: &'a EndSessionRequest) -> Self {
        Self { meant }
    }

    /// Responds with the page.
    /// Its policy allows the redirect to the application afterwards.
    ///
    /// # Errors
    /// If the visitor is not signed in; if the template fails to render, which is a bug.
    pub(crate) fn show(&self, page: &PageRequest<'_>) -> Result<HttpResponse, PageFailure> {
        let user = page.visitor.user().ok_or_else(PageFailure::not_our_form)?;
        let application = self.meant.application.as_ref();
        let address = self.meant.post_logout_redirect_uri.as_deref();
        let fields = [
            ("client_id", application.map(|one| one.uid.as_str())),
            ("post_logout_redirect_uri", address),
            ("state", self.meant.state.as_deref()),
        ];
        let sent = |(name, value): (&'static str, Option<&'a str>)| Some((name, value?));
        let template = EndSessionTemplate {
            shell: page.shell(SiteArea::Focused, "Sign out"),
            action: paths::END_SESSION,
            user: user.username.as_str(),
            application: application.map(|one| one.name.as_str()),
            fields: fields.into_iter().filter_map(sent).collect(),
        };
        let html = template.render()?;
        let mut answer = page.begin(StatusCode::OK);
        if address.is_some() {
            answer.insert_header((CONTENT_SECURITY_POLICY, POLICY_TOWARD_APPLICATIONS));
        }
        Ok(answer.body(html))
    }
}
