//! Page that shows an authorization code, for applications that a browser cannot be redirected to.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::REFERRER_POLICY;
use api_conventions::secret::PlainSecret;
use askama::Template;

use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::{Shell, SiteArea};

#[derive(Template)]
#[template(path = "areas/oauth/pages/code.html")]
struct CodePage<'a> {
    shell: Shell,
    code: &'a str,
}

/// Responds with the page.
/// Its URL contains the code too, so the page sends no referrer; it has no form that needs one.
///
/// # Errors
/// If the template fails to render, which is a bug.
pub(crate) fn show(
    page: &PageRequest<'_>,
    code: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(SiteArea::Focused, "Your authorization code");
    shell.user = None;
    let html = CodePage {
        shell,
        code: code.reveal(),
    }
    .render()?;
    let mut answer = page.begin(StatusCode::OK);
    answer.insert_header((REFERRER_POLICY, "no-referrer"));
    Ok(answer.body(html))
}
