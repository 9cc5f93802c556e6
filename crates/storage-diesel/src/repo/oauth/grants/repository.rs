//! What a write transaction can change about grants and tokens.

/// Writes the repository for one connection type.
macro_rules! repository {
    ($connection:ty) => {
        impl WriteTx<'_> {
            fn insert_pair_of(
                &mut self,
                grant_id: i64,
                pair: &NewTokenPair,
            ) -> Result<TokenPairId, StoreError> {
                let id = diesel::insert_into(pairs::table)
                    .values(NewPairRow::new(grant_id, pair))
                    .returning(pairs::id)
                    .get_result(self.connection()?);
                id.map(TokenPairId::new)
                    .map_err(|e| from_diesel("insert pair", e))
            }
        }

        impl GrantRepository for WriteTx<'_> {
            fn insert_authorization_request(
                &mut self,
                handle: &SecretDigest,
                request: &AuthorizationRequest,
            ) -> Result<(), StoreError> {
                let challenge = request.challenge.as_ref();
                diesel::insert_into(requests::table)
                    .values((
                        requests::handle_digest.eq(&handle.as_bytes()[..]),
                        requests::application_id.eq(request.application_id.get()),
                        requests::user_id.eq(request.user_id.get()),
                        requests::session_id.eq(request.session_id.get()),
                        requests::redirect_uri.eq(&request.redirect_uri),
                        requests::scopes.eq(request.scopes.to_string()),
                        requests::state.eq(&request.state),
                        requests::nonce.eq(&request.nonce),
                        requests::challenge.eq(challenge.map(|challenge| challenge.as_str())),
                        requests::auth_time.eq(request.auth_time.as_micros()),
                        requests::created_at.eq(request.created_at.as_micros()),
                        requests::expires_at.eq(request.expires_at.as_micros()),
                    ))
                    .execute(self.connection()?)
                    .map(drop)
                    .map_err(|e| from_diesel("insert authorization request", e))
            }

            fn take_authorization_request(
                &mut self,
                handle: &SecretDigest,
                session_id: SessionId,
                now: Timestamp,
            ) -> Result<Option<AuthorizationRequest>, StoreError> {
                let answerable = requests::table
                    .find(&handle.as_bytes()[..])
                    .filter(requests::session_id.eq(session_id.get()))
                    .filter(requests::expires_at.gt(now.as_micros()));
                let row = diesel::delete(answerable)
                    .returning(RequestRow::as_returning())
                    .get_result(self.connection()?)
                    .optional();
                row.map_err(|e| from_diesel("take authorization request", e))?
                    .map(RequestRow::read)
                    .transpose()
            }

            fn insert_grant(&mut self, grant: &NewGrant) -> Result<GrantId, StoreError> {
                let code = grant.code.as_ref();
                let challenge = grant.challenge.as_ref();
                let redeemed_at = code.is_none().then(|| grant.created_at.as_micros());
                let id = diesel::insert_into(grants::table)
                    .values((
                        grants::code_digest.eq(code.map(|(digest, _)| &digest.as_bytes()[..])),
                        grants::code_expires_at.eq(code.map(|(_, end)| end.as_micros())),
                        grants::user_id.eq(grant.user_id.get()),
                        grants::application_id.eq(grant.application_id.map(ApplicationId::get)),
                        grants::session_id.eq(grant.session_id.map(SessionId::get)),
                        grants::scopes.eq(grant.scopes.to_string()),
                        grants::redirect_uri.eq(&grant.redirect_uri),
                        grants::challenge.eq(challenge.map(|challenge| challenge.as_str())),
                        grants::nonce.eq(&grant.nonce),
                        grants::auth_time.eq(grant.auth_time.as_micros()),
                        grants::created_at.eq(grant.created_at.as_micros()),
                        grants::expires_at.eq(grant.expires_at.as_micros()),
                        grants::redeemed_at.eq(redeemed_at),
                    ))
                    .returning(grants::id)
                    .get_result(self.connection()?);
                id.map(GrantId::new)
                    .map_err(|e| from_diesel("insert grant", e))
            }

            fn redeem_code(
                &mut self,
                code: &SecretDigest,
                pair: &NewTokenPair,
                now: Timestamp,
            ) -> Result<Redemption, StoreError> {
                let its = grants::code_digest.eq(&code.as_bytes()[..]);
                let unused = grants::redeemed_at
                    .is_null()
                    .and(grants::revoked_at.is_null());
                let redeemed = cached(
                    diesel::update(grants::table.filter(its).filter(unused))
                        .set(grants::redeemed_at.eq(now.as_micros()))
                        .returning(grants::id),
                )
                .get_result::<i64>(self.connection()?)
                .optional();
                if let Some(id) = redeemed.map_err(|e| from_diesel("redeem code", e))? {
                    return self.insert_pair_of(id, pair).map(Redemption::Redeemed);
                }
                let known = grants::table.filter(its).select(grants::id);
                let known = known.get_result(self.connection()?).optional();
                let known = known.map_err(|e| from_diesel("find grant by code", e))?;
                Ok(known.map_or(Redemption::Unknown, |id| {
                    Redemption::AlreadyUsed(GrantId::new(id))
                }))
            }

            fn lock_grants_by_code(
                &mut self,
                codes: &[SecretDigest],
            ) -> Result<Vec<Option<Grant>>, StoreError> {
                let rows = families::lock_grants_by_code(self.connection()?, codes)
                    .map_err(|e| from_diesel("lock grants by code", e))?;
                let read = |row: Option<GrantRow>| row.map(GrantRow::read).transpose();
                rows.into_iter().map(read).collect()
            }

            fn redeem_codes(
                &mut self,
                redemptions: &[CodeRedemption],
            ) -> Result<Vec<Redemption>, StoreError> {
                families::redeem_codes(self, redemptions)
            }

            fn insert_pair(&mut self, pair: &NewTokenPair) -> Result<TokenPairId, StoreError> {
                self.insert_pair_of(pair.grant_id.get(), pair)
            }

            fn rotate_pair(
                &mut self,
                refresh: &SecretDigest,
                seed: RotationSeed,
                successor: &NewTokenPair,
                now: Timestamp,
            ) -> Result<Rotation, StoreError> {
                let failed = |e| from_diesel("rotate pair", e);
                let digest = &refresh.as_bytes()[..];
                oauth::lock_family(self.connection()?, digest).map_err(failed)?;
                let current = pairs::table
                    .filter(pairs::refresh_digest.eq(digest))
                    .filter(pairs::rotated_at.is_null().and(pairs::revoked_at.is_null()));
                let rotated = cached(
                    diesel::update(current)
                        .set((
                            pairs::rotated_at.eq(now.as_micros()),
                            pairs::rotation_seed.eq(&seed.as_bytes()[..]),
                        ))
                        .returning(pairs::grant_id),
                )
                .get_result::<i64>(self.connection()?)
                .optional();
                if let Some(grant_id) = rotated.map_err(failed)? {
                    return self
                        .insert_pair_of(grant_id, successor)
                        .map(Rotation::Rotated);
                }
                let known = self.find_pair_by_refresh(refresh)?.map(Box::new);
                Ok(known.map_or(Rotation::Unknown, Rotation::NotCurrent))
            }

            fn lock_families(
                &mut self,
                refresh: &[SecretDigest],
            ) -> Result<Vec<Option<Family>>, StoreError> {
                let rows = families::lock_families(self.connection()?, refresh)
                    .map_err(|e| from_diesel("lock families", e))?;
                let read = |row: Option<(PairRow, GrantRow)>| match row {
                    Some((pair, grant)) => Ok(Some((pair.read()?, grant.read()?))),
                    None => Ok(None),
                };
                rows.into_iter().map(read).collect()
            }

            fn rotate_pairs(
                &mut self,
                rotations: &[PairRotation],
            ) -> Result<Vec<Rotation>, StoreError> {
                families::rotate_pairs(self, rotations)
            }

            fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError> {
                let failed = |e| from_diesel("revoke grant", e);
                let live = grants::table
                    .find(id.get())
                    .filter(grants::revoked_at.is_null());
                let ended = diesel::update(live)
                    .set(grants::revoked_at.eq(now.as_micros()))
                    .execute(self.connection()?)
                    .map_err(failed)?;
                if ended > 0 {
                    let its = pairs::table.filter(pairs::grant_id.eq(id.get()));
                    diesel::update(its)
                        .set(pairs::revoked_at.eq(now.as_micros()))
                        .execute(self.connection()?)
                        .map_err(failed)?;
                }
                Ok(ended > 0)
            }

            fn revoke_grants_of_user(
                &mut self,
                user_id: UserId,
                application_id: Option<ApplicationId>,
                now: Timestamp,
            ) -> Result<usize, StoreError> {
                let application = application_id.map(ApplicationId::get);
                let ended =
                    oauth::end_grants_of(self.connection()?, user_id.get(), application, now);
                ended.map_err(|e| from_diesel("revoke grants of a user", e))
            }

            fn revoke_unredeemed(
                &mut self,
                session_id: SessionId,
                now: Timestamp,
            ) -> Result<usize, StoreError> {
                let failed = |e| from_diesel("revoke unredeemed grants", e);
                diesel::delete(requests::table.filter(requests::session_id.eq(session_id.get())))
                    .execute(self.connection()?)
                    .map_err(failed)?;
                oauth::end_unredeemed(self.connection()?, session_id.get(), now).map_err(failed)
            }

            fn delete_spent_grants(
                &mut self,
                before: Timestamp,
                limit: usize,
            ) -> Result<usize, StoreError> {
                let failed = |e| from_diesel("delete spent grants", e);
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                let late = oauth::delete_late_requests(self.connection()?, before, limit);
                let spent = oauth::delete_spent_grants(self.connection()?, before, limit);
                Ok(late.map_err(failed)? + spent.map_err(failed)?)
            }
        }
    };
}

pub(super) use repository;
