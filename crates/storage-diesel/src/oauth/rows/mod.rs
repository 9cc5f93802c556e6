//! Rows of applications, waiting requests, grants, pairs of tokens and signing keys.

pub(super) mod applications;
pub(super) mod grants;
pub(super) mod keys;
pub(super) mod pairs;
pub(super) mod requests;

use oauth_provider::rules::pkce::CodeChallenge;
use storage::StoreError;

use crate::rows::RowReader;

impl RowReader {
    fn challenge_if(self, text: Option<String>) -> Result<Option<CodeChallenge>, StoreError> {
        let parse = |text: String| {
            let challenge = CodeChallenge::parse(&text);
            self.need(challenge, "an impossible challenge")
        };
        text.map(parse).transpose()
    }
}
