//! Page that posts a response to an application (OAuth 2.0 Form Post Response Mode).
//! Without scripts, the user presses a button.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use askama::Template;

use crate::areas::oauth::pages::destination::Destination;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::policy_with_inline_script;
use crate::frame::page::shell::{Shell, SiteArea};

/// Script of the page.
/// It must be the whole script, because the policy contains its hash.
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

/// Responds with the page.
/// Its form posts to the validated address of the application, and like every page it is not cached.
///
/// # Errors
/// If the template fails to render, which is a bug.
pub(crate) fn show(
    page: &PageRequest<'_>,
    action: &str,
    fields: &[(&'static str, String)],
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(SiteArea::Focused, "Continue to the application");
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
