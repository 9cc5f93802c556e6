//! Rows of applications, waiting requests, grants, pairs of tokens and signing keys.

pub(super) mod applications;
pub(super) mod grants;
pub(super) mod keys;
pub(super) mod pairs;
pub(super) mod requests;

use api_conventions::ids::{ApplicationId, UserId};
use oauth_provider::TokenSubject;
use oauth_provider::rules::pkce::CodeChallenge;
use storage::StoreError;

use crate::rows::RowReader;

impl RowReader {
    fn challenge_if(self, text: Option<String>) -> Result<Option<CodeChallenge>, StoreError> {
        let parse = |text: String| {
            let challenge = CodeChallenge::parse(&text);
            self.require(challenge, "invalid code challenge")
        };
        text.map(parse).transpose()
    }

    fn subject(
        self,
        user: Option<i64>,
        application: Option<i64>,
    ) -> Result<TokenSubject, StoreError> {
        let (user, application) = (user.map(UserId::new), application.map(ApplicationId::new));
        let subject = TokenSubject::from_ids(user, application);
        self.require(subject, "neither a user nor an application")
    }
}

/// Returns the user and the application of a subject.
pub(super) fn subject_columns(subject: TokenSubject) -> (Option<i64>, Option<i64>) {
    let (user, application) = subject.ids();
    (user.map(UserId::get), application.map(ApplicationId::get))
}
