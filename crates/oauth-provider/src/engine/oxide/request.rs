//! Request parameters in the form that the engine reads.

use std::borrow::Cow;

use oxide_auth::code_grant::authorization::Request;

use crate::flow::authorize::AuthorizeParameters;

impl Request for AuthorizeParameters {
    /// Returns true: repeated or malformed parameters were refused before.
    fn valid(&self) -> bool {
        true
    }

    fn client_id(&self) -> Option<Cow<'_, str>> {
        self.client_id.as_deref().map(Cow::Borrowed)
    }

    fn scope(&self) -> Option<Cow<'_, str>> {
        self.scope.as_deref().map(Cow::Borrowed)
    }

    fn redirect_uri(&self) -> Option<Cow<'_, str>> {
        self.redirect_uri.as_deref().map(Cow::Borrowed)
    }

    fn state(&self) -> Option<Cow<'_, str>> {
        self.state.as_deref().map(Cow::Borrowed)
    }

    fn response_type(&self) -> Option<Cow<'_, str>> {
        self.response_type.as_deref().map(Cow::Borrowed)
    }

    fn extension(&self, key: &str) -> Option<Cow<'_, str>> {
        let value = match key {
            "code_challenge" => &self.code_challenge,
            "code_challenge_method" => &self.code_challenge_method,
            "nonce" => &self.nonce,
            _ => &None,
        };
        value.as_deref().map(Cow::Borrowed)
    }
}
