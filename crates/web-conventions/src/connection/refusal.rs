//! Response to an invalid request: like any other response of the API, but written here, because no service of ours
//! sees malformed requests.

use api_conventions::error::ApiError;
use uuid::Uuid;

/// Returns the reason phrase for a status that this module uses.
fn reason(status: u16) -> &'static str {
    match status {
        408 => "Request Timeout",
        414 => "URI Too Long",
        431 => "Request Header Fields Too Large",
        _ => "Bad Request",
    }
}

/// Writes a refusal for the client whose bytes begin with `begun`, and logs it. The connection ends with it.
pub(super) fn write(refusal: &ApiError, begun: &[u8]) -> Vec<u8> {
    let id = Uuid::now_v7().simple();
    let status = refusal.status();
    tracing::debug!(
        request.id = %id,
        response.status = status,
        error = %refusal,
        "no valid request received",
    );
    let body = refusal.sent_body().to_string();
    let head = format!(
        "HTTP/1.1 {status} {}\r\n\
         Content-Type: application/json\r\n\
         Content-Length: {}\r\n\
         Connection: close\r\n\
         X-Request-Id: {id}\r\n\
         X-Runtime: 0.000000\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: SAMEORIGIN\r\n\
         Vary: Origin\r\n\r\n",
        reason(status),
        body.len(),
    );
    // A response to HEAD has the headers of a body, but no body (RFC 9110, section 9.3.2).
    let is_head = begun.trim_ascii_start().starts_with(b"HEAD ");
    let body = if is_head { "" } else { &body };
    [head.as_bytes(), body.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_an_answer_of_the_api() {
        let refusal = ApiError::query_too_long(300);
        let text = String::from_utf8(write(&refusal, b"GET /")).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 414 URI Too Long\r\n"), "{head}");
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
        assert_eq!(body, refusal.sent_body().to_string());
        let without = String::from_utf8(write(&refusal, b"\r\nHEAD /")).unwrap();
        assert!(without.ends_with("\r\n\r\n"), "{without}");
    }
}
