//! Events of Matrix rooms (client-server API, section on `m.room.message`).

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use url::Url;

use super::text::{MessageText, escape_html};

/// A request that puts an event into a room.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixEvent {
    /// URL of the PUT. The server recognizes an event that it knows by the key at the end.
    pub url: String,
    /// Body.
    pub body: Value,
}

/// Returns the request that puts a message with a key into a room of a homeserver.
pub fn matrix_event(homeserver: &Url, room: &str, key: &str, message: &MessageText) -> MatrixEvent {
    let base = homeserver.as_str().trim_end_matches('/');
    let room = utf8_percent_encode(room, NON_ALPHANUMERIC);
    let key = utf8_percent_encode(key, NON_ALPHANUMERIC);
    let (url, headline) = (escape_html(&message.url), escape_html(&message.headline));
    let mut lines = vec![message.headline.clone()];
    let mut html = vec![format!("<strong><a href=\"{url}\">{headline}</a></strong>")];
    for (name, value) in &message.facts {
        lines.push(format!("{name}: {value}"));
        html.push(format!("{name}: {}", escape_html(value)));
    }
    if !message.description.is_empty() {
        lines.push(message.description.clone());
        html.push(escape_html(&message.description).replace('\n', "<br>"));
    }
    lines.push(message.url.clone());
    MatrixEvent {
        url: format!("{base}/_matrix/client/v3/rooms/{room}/send/m.room.message/{key}"),
        body: json!({
            "msgtype": "m.text",
            "body": lines.join("\n"),
            "format": "org.matrix.custom.html",
            "formatted_body": html.join("<br>"),
        }),
    }
}
