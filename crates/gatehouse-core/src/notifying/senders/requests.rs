//! HTTP requests of the kinds of channels.

use api_conventions::time::Timestamp;
use notifications::flow::MessageDelivery;
use notifications::formats::{
    InvalidSecret, MessageText, Place, hook_request, matrix_event, ntfy_body, sign, slack_body,
    webhook_body,
};
use serde_json::Value;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, USER_AGENT};
use ureq::http::{Method, Request};
use url::Url;

/// Name of this program in requests.
const AGENT: &str = concat!("Gatehouse/", env!("CARGO_PKG_VERSION"));
/// Type of all bodies.
const JSON: &str = "application/json";

/// Reason for which a message cannot become a request. Another attempt would fail in the same way.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    /// The channel lacks a secret.
    #[error("the channel has no {0}; enter it in the settings of the channel")]
    MissingSecret(&'static str),
    /// The signing secret is malformed.
    #[error("the signing secret is malformed: {0}")]
    SigningSecret(#[from] InvalidSecret),
    /// The URL is malformed, or not one of HTTP.
    #[error("the URL of the channel is not an http or https URL")]
    Url,
    /// The token contains control characters.
    #[error("the access token contains characters that no HTTP header can carry")]
    Token,
    /// The message is not one of hooks.
    #[error("a project hook cannot send this message")]
    NoEvent,
    /// The body cannot be serialized, or a header cannot be written.
    #[error("the request cannot be written")]
    Unwritable,
}

/// Returns the signed request of a webhook. The signature covers exactly the bytes of the body, and the time `now` of this
/// attempt.
pub(super) fn webhook(
    delivery: &MessageDelivery,
    place: &Place,
    secret: Option<&str>,
    now: Timestamp,
) -> Result<Request<Vec<u8>>, RequestError> {
    let secret = secret.ok_or(RequestError::MissingSecret("signing secret"))?;
    let message = &delivery.message;
    let (key, seconds) = (message.key(), now.as_unix_seconds());
    let mut request = json(
        Method::POST,
        &parse(&delivery.channel.settings.url)?,
        &webhook_body(message, place),
    )?;
    let signature = sign(secret, &key, seconds, request.body())?;
    insert(&mut request, "idempotency-key", &key)?;
    insert_signature(&mut request, &key, seconds, &signature)?;
    Ok(request)
}

/// Returns the request of a project hook, as v4 clients expect it. It is signed, too, if the token is a signing secret.
pub(super) fn hook(
    delivery: &MessageDelivery,
    place: &Place,
    secret: Option<&str>,
    now: Timestamp,
) -> Result<Request<Vec<u8>>, RequestError> {
    let message = &delivery.message;
    let project = place.project.as_ref();
    // The URL of a project is that of the server with the path of the project.
    let server = project.and_then(|it| it.url.strip_suffix(it.path.as_str()));
    let server = server.unwrap_or_default().trim_end_matches('/');
    let hook = hook_request(message, server).ok_or(RequestError::NoEvent)?;
    let (key, seconds) = (message.key(), now.as_unix_seconds());
    let url = parse(&delivery.channel.settings.url)?;
    let mut request = json(Method::POST, &url, &hook.body)?;
    for (name, value) in [
        ("x-gitlab-event", &hook.event),
        ("x-gitlab-instance", &server.to_owned()),
        ("x-gitlab-webhook-uuid", &hook.attempt_uuid),
        ("x-gitlab-event-uuid", &hook.event_uuid),
        ("idempotency-key", &key),
    ] {
        insert(&mut request, name, value)?;
    }
    if let Some(token) = secret {
        let value = HeaderValue::from_str(token);
        let mut value = value.map_err(|_| RequestError::Token)?;
        value.set_sensitive(true);
        request.headers_mut().insert("x-gitlab-token", value);
        if let Ok(signature) = sign(token, &key, seconds, request.body()) {
            insert_signature(&mut request, &key, seconds, &signature)?;
        }
    }
    Ok(request)
}

/// Adds the headers of Standard Webhooks.
fn insert_signature(
    request: &mut Request<Vec<u8>>,
    key: &str,
    seconds: i64,
    signature: &str,
) -> Result<(), RequestError> {
    insert(request, "webhook-id", key)?;
    insert(request, "webhook-timestamp", &seconds.to_string())?;
    insert(request, "webhook-signature", signature)
}

fn insert(
    request: &mut Request<Vec<u8>>,
    name: &'static str,
    value: &str,
) -> Result<(), RequestError> {
    let value = HeaderValue::from_str(value).map_err(|_| RequestError::Unwritable)?;
    request.headers_mut().insert(name, value);
    Ok(())
}

/// Returns the request of an incoming webhook, whose URL is the secret.
pub(super) fn slack(
    text: &MessageText,
    secret: Option<&str>,
) -> Result<Request<Vec<u8>>, RequestError> {
    let url = secret.ok_or(RequestError::MissingSecret("URL"))?;
    json(Method::POST, &parse(url)?, &slack_body(text))
}

/// Returns the request of a topic of ntfy. Topics may be open to all, so the token is optional.
pub(super) fn ntfy(
    delivery: &MessageDelivery,
    text: &MessageText,
    secret: Option<&str>,
) -> Result<Request<Vec<u8>>, RequestError> {
    let settings = &delivery.channel.settings;
    let body = ntfy_body(&settings.recipient, text);
    let mut request = json(Method::POST, &parse(&settings.url)?, &body)?;
    if let Some(token) = secret {
        authorize(&mut request, token)?;
    }
    Ok(request)
}

/// Returns the request of a room of Matrix.
pub(super) fn matrix(
    delivery: &MessageDelivery,
    text: &MessageText,
    secret: Option<&str>,
) -> Result<Request<Vec<u8>>, RequestError> {
    let token = secret.ok_or(RequestError::MissingSecret("access token"))?;
    let settings = &delivery.channel.settings;
    let (homeserver, key) = (parse(&settings.url)?, delivery.message.key());
    let event = matrix_event(&homeserver, &settings.recipient, &key, text);
    let mut request = json(Method::PUT, &parse(&event.url)?, &event.body)?;
    authorize(&mut request, token)?;
    Ok(request)
}

fn parse(url: &str) -> Result<Url, RequestError> {
    let url = Url::parse(url).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or(RequestError::Url)
}

fn json(method: Method, url: &Url, body: &Value) -> Result<Request<Vec<u8>>, RequestError> {
    let body = serde_json::to_vec(body).map_err(|_| RequestError::Unwritable)?;
    let request = Request::builder()
        .method(method)
        .uri(url.as_str())
        .header(CONTENT_TYPE, JSON)
        .header(USER_AGENT, AGENT);
    request.body(body).map_err(|_| RequestError::Url)
}

fn authorize(request: &mut Request<Vec<u8>>, token: &str) -> Result<(), RequestError> {
    let value = HeaderValue::from_str(&format!("Bearer {token}"));
    let mut value = value.map_err(|_| RequestError::Token)?;
    value.set_sensitive(true);
    request.headers_mut().insert(AUTHORIZATION, value);
    Ok(())
}
