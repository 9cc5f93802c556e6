//! E-mail: the same content as text and as HTML, without pictures.

use super::text::{MessageText, escape_html};

/// Texts of an e-mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Subject: one line.
    pub subject: String,
    /// Body in plain text.
    pub text: String,
    /// Body in HTML.
    pub html: String,
}

/// Longest subject, in characters.
const MAX_SUBJECT: usize = 200;

/// Returns the texts of an e-mail.
pub fn mail(message: &MessageText) -> Mail {
    let (headline, url) = (&message.headline, &message.url);
    let mut lines = vec![headline.clone(), String::new()];
    let mut rows = Vec::new();
    for (name, value) in &message.facts {
        lines.push(format!("{name}: {value}"));
        let value = escape_html(value);
        rows.push(format!(
            "<tr><th align=\"left\">{name}</th><td>{value}</td></tr>"
        ));
    }
    lines.push(String::new());
    let mut description = String::new();
    if !message.description.is_empty() {
        lines.extend([message.description.clone(), String::new()]);
        let escaped = escape_html(&message.description);
        description = format!("<p style=\"white-space: pre-wrap\">{escaped}</p>\n");
    }
    lines.extend([url.clone(), String::new()]);
    let (title, link, rows) = (escape_html(headline), escape_html(url), rows.join("\n"));
    let html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n\
         <h1 style=\"font-size: 1.2em\">{title}</h1>\n<table cellpadding=\"4\">\n{rows}\n</table>\n{description}\
         <p><a href=\"{link}\">{link}</a></p>\n</body></html>\n"
    );
    Mail {
        subject: crate::model::shortened(headline.clone(), MAX_SUBJECT),
        text: lines.join("\n"),
        html,
    }
}
