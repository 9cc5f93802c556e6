//! Rows of applications, waiting requests, grants, pairs of tokens and signing keys.

mod applications;
mod grants;
mod keys;
mod requests;
mod tokens;

pub(crate) use applications::{
    ApplicationRow, client_type_number, read_authorized, read_permitted, uri_list,
};
pub(crate) use grants::GrantRow;
pub(crate) use keys::KeyRow;
pub(crate) use requests::RequestRow;
pub(crate) use tokens::{NewPairRow, PairRow};

use api_conventions::scope::ScopeSet;
use oauth_provider::rules::pkce::CodeChallenge;
use storage::StoreError;

use super::RowReader;

impl RowReader {
    fn scopes(self, words: &str) -> Result<ScopeSet, StoreError> {
        ScopeSet::parse(words).map_err(|_| self.wrong("an unknown scope"))
    }

    fn challenge_if(self, text: Option<String>) -> Result<Option<CodeChallenge>, StoreError> {
        let parse = |text: String| {
            let challenge = CodeChallenge::parse(&text);
            self.need(challenge, "an impossible challenge")
        };
        text.map(parse).transpose()
    }
}
