//! What a transaction of either kind can tell about grants and tokens. Each is one probe of one index.

/// Writes the queries for one connection type.
macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;

            impl GrantQueries for Tx<'_> {
                fn find_grant(&mut self, id: GrantId) -> Result<Option<Grant>, StoreError> {
                    let row = grants::table.find(id.get()).select(GrantRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find grant", e))?
                        .map(GrantRow::read)
                        .transpose()
                }

                fn find_grant_by_code(
                    &mut self,
                    code: &SecretDigest,
                ) -> Result<Option<Grant>, StoreError> {
                    let row = grants::table
                        .filter(grants::code_digest.eq(&code.as_bytes()[..]))
                        .select(GrantRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find grant by code", e))?
                        .map(GrantRow::read)
                        .transpose()
                }

                fn has_consented(
                    &mut self,
                    user_id: UserId,
                    application_id: ApplicationId,
                    scopes: ScopeSet,
                    now: Timestamp,
                ) -> Result<bool, StoreError> {
                    // Equal sets have equal texts: the words always stand in the same order.
                    let live = grants::table
                        .filter(grants::user_id.eq(user_id.get()))
                        .filter(grants::application_id.eq(application_id.get()))
                        .filter(grants::scopes.eq(scopes.to_string()))
                        .filter(grants::redeemed_at.is_not_null())
                        .filter(grants::revoked_at.is_null())
                        .filter(grants::expires_at.gt(now.as_micros()));
                    diesel::select(diesel::dsl::exists(live))
                        .get_result(self.connection()?)
                        .map_err(|e| from_diesel("find consent", e))
                }

                fn find_pair_by_access(
                    &mut self,
                    access: &SecretDigest,
                ) -> Result<Option<TokenPair>, StoreError> {
                    let row = pairs::table
                        .filter(pairs::access_digest.eq(&access.as_bytes()[..]))
                        .select(PairRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find pair by access token", e))?
                        .map(PairRow::read)
                        .transpose()
                }

                fn find_pair_by_refresh(
                    &mut self,
                    refresh: &SecretDigest,
                ) -> Result<Option<TokenPair>, StoreError> {
                    let row = pairs::table
                        .filter(pairs::refresh_digest.eq(&refresh.as_bytes()[..]))
                        .select(PairRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find pair by refresh token", e))?
                        .map(PairRow::read)
                        .transpose()
                }

                fn find_authorization_request(
                    &mut self,
                    handle: &SecretDigest,
                ) -> Result<Option<AuthorizationRequest>, StoreError> {
                    let row = requests::table
                        .find(&handle.as_bytes()[..])
                        .select(RequestRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find authorization request", e))?
                        .map(RequestRow::read)
                        .transpose()
                }
            }
        };
    };
}

pub(super) use queries;
