//! Queries of grants and tokens, for both kinds of transaction.
//! Each is one probe of one index.

use api_conventions::ids::{ApplicationId, GrantId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use oauth_provider::{AuthorizationRequest, Grant, GrantQueries, TokenPair};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::oauth::rows::grants::GrantRow;
use crate::oauth::rows::pairs::PairRow;
use crate::oauth::rows::requests::RequestRow;
use crate::oauth::tables::{
    oauth_authorization_requests as requests, oauth_grants as grants, oauth_token_pairs as pairs,
};

#[for_each_database(dialect = crate::oauth)]
mod database {
    impl ::oauth_provider::GrantQueriesWrapper for WriteTx<'_> {}

    impl GrantQueries for ReadTx<'_> {
        fn find_grant(&mut self, id: GrantId) -> Result<Option<Grant>, StoreError> {
            self.find::<GrantRow>("find grant", grants::table.find(id.get()))
        }

        fn find_grant_by_code(&mut self, code: &SecretDigest) -> Result<Option<Grant>, StoreError> {
            let with_code = grants::code_digest.eq(&code.as_bytes()[..]);
            self.find::<GrantRow>("find grant by code", grants::table.filter(with_code))
        }

        fn has_consented(
            &mut self,
            user_id: UserId,
            application_id: ApplicationId,
            scopes: &ScopeSet,
            now: Timestamp,
        ) -> Result<bool, StoreError> {
            let live = grants::table
                .filter(grants::user_id.eq(user_id.get()))
                .filter(grants::application_id.eq(application_id.get()))
                .filter(grants::redeemed_at.is_not_null())
                .filter(grants::revoked_at.is_null())
                .filter(grants::expires_at.gt(now.as_micros()));
            let written_alike = live.filter(grants::scopes.eq(scopes.to_string()));
            let is_live = diesel::select(diesel::dsl::exists(written_alike));
            if self.value("find consent", is_live)? {
                return Ok(true);
            }
            // Equal sets have equal texts, except in rows from before scopes were written in alphabetical order.
            let different = live.select(grants::scopes).distinct();
            let texts: Vec<String> = self.values("list consents", different)?;
            Ok(texts
                .iter()
                .any(|text| ScopeSet::parse(text).is_ok_and(|set| set == *scopes)))
        }

        fn find_pair_by_access(
            &mut self,
            access: &SecretDigest,
        ) -> Result<Option<TokenPair>, StoreError> {
            let with_access = pairs::access_digest.eq(&access.as_bytes()[..]);
            let pair = pairs::table.filter(with_access);
            self.find::<PairRow>("find token pair by access token", pair)
        }

        fn find_pair_by_refresh(
            &mut self,
            refresh: &SecretDigest,
        ) -> Result<Option<TokenPair>, StoreError> {
            let with_refresh = pairs::refresh_digest.eq(&refresh.as_bytes()[..]);
            let pair = pairs::table.filter(with_refresh);
            self.find::<PairRow>("find token pair by refresh token", pair)
        }

        fn find_authorization_request(
            &mut self,
            handle: &SecretDigest,
        ) -> Result<Option<AuthorizationRequest>, StoreError> {
            let with_handle = requests::table.find(&handle.as_bytes()[..]);
            self.find::<RequestRow>("find authorization request", with_handle)
        }
    }
}
