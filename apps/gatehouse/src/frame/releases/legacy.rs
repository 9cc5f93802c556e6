//! Old addresses of project pages, without `/-/` (`DEPR-08`).

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::http::header::LOCATION;
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use deprecations::{Record, Site};

use super::headers::{HeaderFacts, write_headers};
use crate::frame::page::address::is_place;
use crate::state::{Behaviour, ServedReleases};

/// Replaces a 404 for an old address with a redirect to the page.
/// Other responses are returned unchanged, and so are all in releases without such addresses. A place with the same
/// path takes precedence, because it was found before.
pub fn redirect_old_address(
    releases: &ServedReleases,
    answer: ServiceResponse<BoxBody>,
) -> ServiceResponse<BoxBody> {
    if answer.status() != StatusCode::NOT_FOUND {
        return answer;
    }
    let Some((record, address)) = find_page(releases, answer.request()) else {
        return answer;
    };
    let (request, _) = answer.into_parts();
    let redirect = HttpResponse::Found()
        .insert_header((LOCATION, address))
        .finish();
    let mut answer = ServiceResponse::new(request, redirect);
    let facts = HeaderFacts {
        used: std::slice::from_ref(&record.id),
        fields: Vec::new(),
        refused_by: None,
        has_links: true,
        base_url: &releases.base_url(),
    };
    write_headers(&facts, answer.headers_mut());
    answer
}

fn find_page<'s>(
    releases: &'s ServedReleases,
    request: &HttpRequest,
) -> Option<(&'s Record, String)> {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let behaviour = Behaviour::AddressesWithoutDelimiter;
    if !is_read || !releases.has_for(request, behaviour) {
        return None;
    }
    let record = behaviour.record(releases.schedule())?;
    let mut pages = record.touches.iter().filter_map(|touch| match &touch.site {
        Site::Pages(pages) => Some(pages),
        _ => None,
    });
    let path = with_delimiter(request.path(), pages.next()?)?;
    let query = request.uri().query();
    let address = query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
    Some((record, address))
}

/// Inserts `/-/` before the first segment after a project's path that is one of `pages`.
fn with_delimiter(path: &str, pages: &[String]) -> Option<String> {
    let mut place = String::new();
    let mut rest = path.strip_prefix('/')?;
    for depth in 0.. {
        let segment = rest.split('/').next()?;
        if depth >= 2 && pages.iter().any(|page| page == segment) {
            return is_place(&place).then(|| format!("/{place}/-/{rest}"));
        }
        if depth > 0 {
            place.push('/');
        }
        place.push_str(segment);
        rest = rest.split_once('/')?.1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_goes_behind_the_path_of_the_project() {
        let pages = ["issues", "settings"].map(str::to_owned);
        for (path, expected) in [
            ("/acme/shop/issues", Some("/acme/shop/-/issues")),
            ("/acme/shop/issues/3", Some("/acme/shop/-/issues/3")),
            ("/a/b/c/settings/access", Some("/a/b/c/-/settings/access")),
            ("/acme/issues", None),
            ("/acme/shop", None),
            ("/acme/shop/other", None),
            ("/acme/shop/-/issues", None),
            ("/api/v4/issues", None),
            ("/api/v4/projects/issues", None),
            ("/groups/acme/issues", None),
            ("/acme//issues", None),
        ] {
            let found = with_delimiter(path, &pages);
            assert_eq!(found.as_deref(), expected, "{path}");
        }
    }
}
