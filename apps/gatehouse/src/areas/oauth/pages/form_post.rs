//! The page that posts a response to an application (OAuth 2.0 Form Post Response Mode). The browser of a user without
//! scripts needs one press of a button.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use askama::Template;

use crate::areas::oauth::pages::destination::Destination;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::policy_with_inline_script;
use crate::frame::page::shell::{Place, Shell};

/// The script of the page: all of it, because the policy names its digest.
const SUBMIT: &str = r#"document.getElementById("response").submit();"#;

#[derive(Template)]
#[template(path = "areas/oauth/pages/form_post.html")]
struct FormPostPage<'a> {
    shell: Shell,
    destination: Destination,
    outside: &'a str,
    fields: &'a [(&'static str, String)],
    script: &'static str,
}

/// Answers with the page. Its form goes to the address that was proven to be the application's, and the page is stored
/// nowhere, as every page.
///
/// # Errors
/// When the page cannot be written, which is a fault of ours.
pub(crate) fn show(
    page: &PageRequest<'_>,
    action: &str,
    fields: &[(&'static str, String)],
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(Place::Elsewhere, "Continue to the application");
    shell.user = None;
    let html = FormPostPage {
        shell,
        destination: Destination::of(action),
        outside: action,
        fields,
        script: SUBMIT,
    }
    .render()?;
    let mut answer = page.begin(StatusCode::OK);
    answer.insert_header((CONTENT_SECURITY_POLICY, policy_with_inline_script(SUBMIT)));
    Ok(answer.body(html))
}
