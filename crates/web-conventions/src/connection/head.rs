//! First line and headers of a request, validated before the HTTP library sees them.
//!
//! The library answers malformed requests itself, without a body. Every request that it would refuse is therefore
//! refused here, with an API error. Characters that many clients send although RFC 3986 does not allow them, such as
//! `"`, `<` and letters beyond ASCII in a query, are escaped for it.

use std::mem::MaybeUninit;
use std::ops::Range;

use actix_web::http::Uri;
use api_conventions::error::ApiError;
use httparse::{Header, Status};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::body::RemainingBody;

/// Maximum bytes of a head. The library holds no more than 131,071.
pub(super) const MAX_HEAD: usize = 120 * 1024;

/// Longest target, after escaping. The library holds it in 65,534 bytes.
const MAX_TARGET: usize = 65_534;

/// Maximum number of headers, as in the library.
const MAX_HEADERS: usize = 96;

/// Longest header name.
const MAX_HEADER_NAME: usize = 1024;

/// Characters that the library does not accept in a target. It accepts no byte beyond ASCII either, and all of those
/// are escaped.
const ESCAPED: AsciiSet = CONTROLS.add(b'"').add(b'<').add(b'>').add(b'`');

/// A head that the library accepts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Length in bytes.
    pub(super) length: usize,
    /// Position of the target, and its escaped form.
    pub(super) escaped: Option<(Range<usize>, String)>,
    /// Body that follows.
    pub(super) body: RemainingBody,
}

impl Head {
    /// Parses the head at the beginning of `bytes`; `None` if it is incomplete. Queries longer than `max_query` bytes
    /// are refused by the middleware; here they are refused only if the head cannot be parsed at all.
    ///
    /// # Errors
    /// 414 and 431 if it is too long, and 400 if it is not an HTTP head.
    pub(super) fn read(bytes: &[u8], max_query: usize) -> Result<Option<Self>, ApiError> {
        let mut headers = [const { MaybeUninit::<Header<'_>>::uninit() }; MAX_HEADERS];
        let mut request = httparse::Request::new(&mut []);
        let length = match request.parse_with_uninit_headers(bytes, &mut headers) {
            Ok(Status::Complete(length)) if length <= MAX_HEAD => length,
            Ok(Status::Partial) if bytes.len() <= MAX_HEAD => return Ok(None),
            Ok(_) if request.path.is_none_or(|path| path.len() > MAX_TARGET) => {
                return Err(ApiError::query_too_long(max_query));
            }
            Ok(_) => return Err(ApiError::head_too_large()),
            Err(error) => return Err(malformed(error)),
        };
        let (Some(method), Some(target), Some(version)) =
            (request.method, request.path, request.version)
        else {
            return Err(ApiError::malformed_request(
                "the request line is incomplete",
            ));
        };
        let escaped = escape(method, target, max_query)?;
        Ok(Some(Self {
            length,
            escaped: escaped.map(|text| (position_of(target, bytes), text)),
            body: framing(method, version, request.headers)?,
        }))
    }
}

fn malformed(error: httparse::Error) -> ApiError {
    let reason = match error {
        httparse::Error::TooManyHeaders => return ApiError::head_too_large(),
        httparse::Error::Version => "the HTTP version is not supported",
        httparse::Error::Token => "the request line is not: method, target, version",
        httparse::Error::HeaderName => "a header name has an invalid character",
        httparse::Error::HeaderValue => "a header value has an invalid character",
        httparse::Error::NewLine | httparse::Error::Status => "a line has an invalid ending",
    };
    ApiError::malformed_request(reason)
}

/// Returns the target in the form that the library accepts; `None` if it is unchanged.
fn escape(method: &str, target: &str, max_query: usize) -> Result<Option<String>, ApiError> {
    let escaped: String = utf8_percent_encode(target, &ESCAPED).collect();
    if escaped.len() > MAX_TARGET {
        return Err(ApiError::query_too_long(max_query));
    }
    let uri = Uri::try_from(escaped.as_str()).ok();
    // Of the request target forms in RFC 9112, section 3.2, only that of CONNECT has no path.
    let is_target =
        |uri: &Uri| uri.path().starts_with('/') || escaped == "*" || method == "CONNECT";
    if !uri.as_ref().is_some_and(is_target) {
        return Err(ApiError::malformed_request(
            "the request target is not a path",
        ));
    }
    Ok((escaped != target).then_some(escaped))
}

/// Returns the position of a part of `whole` in it.
fn position_of(part: &str, whole: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    start..start + part.len()
}

/// Returns the body that the headers announce, by the library's rules, which are unambiguous (RFC 9112, section 6.3).
fn framing(method: &str, version: u8, headers: &[Header<'_>]) -> Result<RemainingBody, ApiError> {
    if headers
        .iter()
        .any(|header| header.name.len() > MAX_HEADER_NAME)
    {
        return Err(ApiError::head_too_large());
    }
    let is_new = version == 1;
    let host = once(headers, "Host")?;
    if is_new && host.is_none() {
        return Err(ApiError::malformed_request("the Host header is missing"));
    }
    let length = once(headers, "Content-Length")?.map(read_length);
    let length = length.transpose()?;
    if let Some(coding) = once(headers, "Transfer-Encoding")? {
        if !is_new || length.is_some() || !coding.eq_ignore_ascii_case(b"chunked") {
            let reason = "Transfer-Encoding must be only chunked, without Content-Length";
            return Err(ApiError::malformed_request(reason));
        }
        return Ok(RemainingBody::CHUNKS);
    }
    if !is_new && method == "POST" && length.is_none() {
        return Err(ApiError::malformed_request(
            "the Content-Length header is missing",
        ));
    }
    let is_upgrade = headers.iter().any(|header| {
        let value = header.value.trim_ascii();
        header.name.eq_ignore_ascii_case("Upgrade") && value.eq_ignore_ascii_case(b"websocket")
    });
    Ok(match length {
        _ if is_upgrade => RemainingBody::UntilEnd,
        None | Some(0) if method == "CONNECT" => RemainingBody::UntilEnd,
        length => RemainingBody::Length(length.unwrap_or_default()),
    })
}

/// Returns the value of a header that may appear only once.
fn once<'h>(headers: &[Header<'h>], name: &str) -> Result<Option<&'h [u8]>, ApiError> {
    let mut found = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case(name));
    let first = found.next();
    if found.next().is_some() {
        let reason = format!("the {name} header appears more than once");
        return Err(ApiError::malformed_request(&reason));
    }
    Ok(first.map(|header| header.value.trim_ascii()))
}

fn read_length(value: &[u8]) -> Result<u64, ApiError> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let length = text.parse().ok().filter(|_| is_number);
    length.ok_or_else(|| ApiError::malformed_request("Content-Length is not a number"))
}

#[cfg(test)]
mod tests {
    use actix_http::h1::{Codec, Message, MessageType};
    use actix_web::web::BytesMut;
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;
    use tokio_util::codec::Decoder as _;

    use super::*;

    const LIMIT: usize = 16_384;

    fn read(head: &str) -> Result<Option<Head>, ApiError> {
        Head::read(head.as_bytes(), LIMIT)
    }

    fn status(head: &str) -> u16 {
        read(head).unwrap_err().status()
    }

    fn body(lines: &str) -> RemainingBody {
        let head = format!("{lines}\r\nHost: x\r\n\r\n");
        read(&head).unwrap().unwrap().body
    }

    #[test]
    fn a_head_is_read_when_it_is_whole() {
        let head = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n";
        for end in 0..head.len() {
            assert_eq!(read(&head[..end]), Ok(None), "{end}");
        }
        let whole = read(&format!("\r\n{head}GET")).unwrap().unwrap();
        assert_eq!((whole.length, whole.escaped), (head.len() + 2, None));
    }

    #[test]
    fn characters_unsupported_by_the_library_are_escaped_in_the_target() {
        let head = "GET /p?q=\"a<b>\"&r=Grüße HTTP/1.1\r\nHost: x\r\n\r\n";
        let (place, text) = read(head).unwrap().unwrap().escaped.unwrap();
        assert_eq!(&head[place], "/p?q=\"a<b>\"&r=Grüße");
        assert_eq!(text, "/p?q=%22a%3Cb%3E%22&r=Gr%C3%BC%C3%9Fe");
    }

    #[test]
    fn overlong_request_lines_return_414_and_overlong_headers_431() {
        let line = |length| format!("GET /?{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(length));
        assert!(read(&line(65_000)).unwrap().is_some());
        for length in [65_600, MAX_HEAD, 2 * MAX_HEAD] {
            assert_eq!(status(&line(length)), 414, "{length}");
            assert_eq!(status(line(2 * MAX_HEAD).trim_end()), 414);
        }
        let fields = |count: usize, length| {
            let field = format!("X: {}\r\n", "x".repeat(length));
            format!("GET / HTTP/1.1\r\nHost: x\r\n{}\r\n", field.repeat(count))
        };
        assert!(read(&fields(90, 1_000)).unwrap().is_some());
        for (count, length) in [(97, 1), (90, 2_000)] {
            assert_eq!(status(&fields(count, length)), 431, "{count}");
        }
        let name = format!(
            "GET / HTTP/1.1\r\nHost: x\r\n{}: 1\r\n\r\n",
            "X".repeat(70_000)
        );
        assert_eq!(status(&name), 431);
    }

    #[test]
    fn headers_determine_the_end_of_the_body() {
        for (lines, expected) in [
            ("GET / HTTP/1.1", RemainingBody::Length(0)),
            (
                "PUT / HTTP/1.1\r\nContent-Length:  7 ",
                RemainingBody::Length(7),
            ),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: Chunked",
                RemainingBody::CHUNKS,
            ),
            (
                "POST / HTTP/1.0\r\nContent-Length: 0",
                RemainingBody::Length(0),
            ),
            ("CONNECT x:1 HTTP/1.1", RemainingBody::UntilEnd),
            (
                "GET / HTTP/1.1\r\nUpgrade: websocket",
                RemainingBody::UntilEnd,
            ),
        ] {
            assert_eq!(body(lines), expected, "{lines}");
        }
        for lines in [
            "PUT / HTTP/1.1\r\nContent-Length: 7\r\nContent-Length: 7",
            "PUT / HTTP/1.1\r\nContent-Length: +7",
            "PUT / HTTP/1.1\r\nContent-Length: ",
            "PUT / HTTP/1.1\r\nContent-Length: 7\r\nTransfer-Encoding: chunked",
            "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked",
            "PUT / HTTP/1.0\r\nTransfer-Encoding: chunked",
            "POST / HTTP/1.0",
            "GET / HTTP/1.1\r\nHost: y",
        ] {
            assert_eq!(
                status(&format!("{lines}\r\nHost: x\r\n\r\n")),
                400,
                "{lines}"
            );
        }
        assert_eq!(status("GET / HTTP/1.1\r\nAccept: */*\r\n\r\n"), 400);
    }

    /// Generates a line of a head, valid or nearly so.
    fn line() -> impl Strategy<Value = String> {
        prop_oneof![
            "(GET|PUT|POST|CONNECT) [/a-z?\"<>`ü|^{}%#]{1,9} HTTP/1\\.[01]",
            "(Content-Length|content-length): ?[0-9+]{0,3}",
            "(Transfer-Encoding|TRANSFER-ENCODING): ?(chunked|identity|gzip)",
            "(Upgrade|Connection|Expect): ?(websocket|close|upgrade|100-continue)",
            "Host: ?[a-z]{0,3}",
            "[A-Za-z: ]{0,9}",
        ]
    }

    /// Parses a head with the library: true if the library accepts it whole, and the body that it expects.
    fn of_the_library(bytes: &[u8]) -> (bool, MessageType) {
        let mut bytes = BytesMut::from(bytes);
        let mut codec = Codec::default();
        let message = codec.decode(&mut bytes);
        let is_taken = matches!(message, Ok(Some(Message::Item(_)))) && bytes.is_empty();
        (is_taken, codec.message_type())
    }

    /// Property test: the library accepts every head that is accepted here, and expects the same body after it.
    #[test]
    fn the_library_agrees() {
        let heads = (line(), prop::collection::vec(line(), 0..5));
        let mut runner = TestRunner::new(ProptestConfig::with_cases(4_000));
        let agrees = |(first, rest): (String, Vec<String>)| {
            let head = format!("{first}\r\n{}\r\n\r\n", rest.join("\r\n"));
            let Ok(Some(read)) = Head::read(head.as_bytes(), LIMIT) else {
                return Ok(());
            };
            let mut bytes = head.into_bytes();
            bytes.truncate(read.length);
            if let Some((place, text)) = read.escaped {
                bytes.splice(place, text.into_bytes());
            }
            let (is_taken, expected) = of_the_library(&bytes);
            prop_assert!(is_taken);
            let is_same = match expected {
                MessageType::None => read.body.is_over(),
                MessageType::Payload => {
                    !read.body.is_over() && read.body != RemainingBody::UntilEnd
                }
                MessageType::Stream => read.body == RemainingBody::UntilEnd,
            };
            prop_assert!(is_same, "{:?}", read.body);
            Ok(())
        };
        let outcome = actix_web::rt::System::new().block_on(async { runner.run(&heads, agrees) });
        outcome.unwrap();
    }
}
