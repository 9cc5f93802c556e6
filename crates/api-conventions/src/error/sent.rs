//! Bodies of refusals as sent to clients.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::ApiError;

impl ApiError {
    /// Returns the body as sent. A refusal of the framework has the same text in `message` and `error`, because clients
    /// read one or the other. Bodies defined by the specification stay exact: those of an unknown route, and of a token
    /// that lacks the scope `sudo`.
    pub fn sent_body(&self) -> Cow<'_, Value> {
        let is_exact = self.status == 404 || self.body.get("scope") == Some(&json!("sudo"));
        let text = self
            .body
            .get("error_description")
            .or(self.body.get("error"));
        let (Some(text), None, false) = (text, self.body.get("message"), is_exact) else {
            return Cow::Borrowed(&self.body);
        };
        let mut body = self.body.clone();
        if let Some(members) = body.as_object_mut() {
            members.insert("message".to_owned(), text.clone());
        }
        Cow::Owned(body)
    }
}
