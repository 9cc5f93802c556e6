//! The page that shows an authorization code, for applications that no browser can be sent to.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::REFERRER_POLICY;
use api_conventions::secret::PlainSecret;
use askama::Template;

use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::{Place, Shell};

#[derive(Template)]
#[template(path = "areas/oauth/pages/code.html")]
struct CodePage<'a> {
    shell: Shell,
    code: &'a str,
}

/// Answers with the page. The code is in its address, too, so the address goes nowhere as a referrer; the page has no
/// form that would need one.
///
/// # Errors
/// When the page cannot be written, which is a fault of ours.
pub(crate) fn show(
    page: &PageRequest<'_>,
    code: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(Place::Elsewhere, "Your authorization code");
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
