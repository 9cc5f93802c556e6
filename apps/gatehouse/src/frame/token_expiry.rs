//! Announcement of the expiry of a token, in responses to the requests that use it.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::{HttpMessage as _, HttpRequest};
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse_core::auth::principal::{Credential, Principal};

/// Header with the first day on which the personal access token of the request is no longer valid.
const NAME: HeaderName = HeaderName::from_static("x-gatehouse-token-expires");

/// Time before the expiry of a token from which it is announced, in seconds: 30 days.
const NOTICE_SECONDS: i64 = 30 * 86_400;

/// Expiry of the token of a request, stored with the request for the response.
#[derive(Debug, Clone, Copy)]
struct AnnouncedExpiry(CalendarDate);

/// True if a token that expires at this time is announced at `now`.
pub fn is_near(expires_at: Timestamp, now: Timestamp) -> bool {
    expires_at <= now.plus_seconds(NOTICE_SECONDS)
}

/// Stores the expiry of the caller's personal access token with the request, if it is near.
pub fn note(request: &HttpRequest, principal: &Principal, now: Timestamp) {
    let is_token = matches!(principal.credential, Credential::Personal(_));
    if is_token && is_near(principal.expires_at, now) {
        let day = AnnouncedExpiry(principal.expires_at.date());
        request.extensions_mut().insert(day);
    }
}

/// Returns the header for the response to a request whose token expires soon.
pub fn header_of(request: &HttpRequest) -> Option<(HeaderName, HeaderValue)> {
    let AnnouncedExpiry(day) = *request.extensions().get::<AnnouncedExpiry>()?;
    let value = HeaderValue::try_from(day.to_string()).ok()?;
    Some((NAME, value))
}
