//! The body of a refusal as it is sent.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::ApiError;

impl ApiError {
    /// The body as it is sent. A refusal of the framework says the same in `message` as in `error`, because some clients read the
    /// one and some the other. Bodies that the specification gives stay exact: those of an unknown route, and of a token that
    /// lacks the scope `sudo`.
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
