//! Adapter of our store for oxide-auth's own flows.

use std::cell::RefCell;
use std::fmt;

use api_conventions::ids::UserId;
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{PlainSecret, SecretSource};
use api_conventions::time::Timestamp;
use oxide_auth::primitives::authorizer::Authorizer;
use oxide_auth::primitives::grant::{Extensions, Grant as OxideGrant};
use oxide_auth::primitives::issuer::{IssuedToken, Issuer, RefreshedToken, TokenType};

use super::convert::{ConversionError, from_timestamp, of_grant, read_scopes, to_timestamp};
use crate::flow::refresh::{Refresh, RefreshOutcome, refresh};
use crate::model::{
    ACCESS_PREFIX, Application, ApplicationUid, CODE_PREFIX, Grant, GrantState, NewGrant,
    NewTokenPair, REFRESH_PREFIX, RotationSeed, TokenPair, TokenPairState, TokenSubject,
};
use crate::policy::Policy;
use crate::store::{ApplicationQueries, GrantRepository};

/// A transaction of a store, as an authorizer and an issuer of oxide-auth.
///
/// A host built on oxide-auth keeps its flows and gets this crate's storage: digests instead of tokens, conditional
/// writes, refresh token rotation. Further steps of this crate's own flows, such as revoking the tokens of a replayed
/// code, are not part of oxide-auth's flows.
///
/// Owners are user ids in decimal, clients are the public names of registered applications, and scopes are those of the
/// policy's registry; any other value is an error. So is an extension, because no column stores it.
pub struct StoreSession<'s, R: ?Sized> {
    repos: RefCell<&'s mut R>,
    policy: Policy,
    secrets: &'s dyn SecretSource,
    now: Timestamp,
}

impl<R: ?Sized> fmt::Debug for StoreSession<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSession")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl<'s, R: GrantRepository + ApplicationQueries + ?Sized> StoreSession<'s, R> {
    /// Creates a session at `now` on `repos`, which is a write transaction.
    pub fn new(
        repos: &'s mut R,
        policy: Policy,
        secrets: &'s dyn SecretSource,
        now: Timestamp,
    ) -> Self {
        Self {
            repos: RefCell::new(repos),
            policy,
            secrets,
            now,
        }
    }

    fn client(&self, uid: &str) -> Result<Application, ConversionError> {
        let uid = ApplicationUid::parse(uid).ok_or(())?;
        self.repos
            .borrow_mut()
            .find_application_by_uid(&uid)
            .map_err(drop)?
            .ok_or(())
    }

    fn new_grant(&self, grant: &OxideGrant) -> Result<NewGrant, ConversionError> {
        if grant.extensions != Extensions::new() {
            return Err(());
        }
        Ok(NewGrant {
            code: None,
            subject: TokenSubject::user(
                UserId::new(grant.owner_id.parse().map_err(drop)?),
                self.client(&grant.client_id)?.id,
            ),
            session_id: None,
            scopes: read_scopes(&grant.scope, &self.policy.scopes)?,
            redirect_uri: Some(grant.redirect_uri.to_string()),
            challenge: None,
            nonce: None,
            auth_time: self.now,
            created_at: self.now,
            expires_at: self.now.plus_seconds(self.policy.grant_seconds),
        })
    }

    /// Converts a stored grant for oxide-auth, with the scopes and the expiry of this code or token.
    fn recovered(
        &self,
        grant: &Grant,
        scopes: &ScopeSet,
        until: Timestamp,
    ) -> Result<OxideGrant, ConversionError> {
        let id = grant.subject.application_id().ok_or(())?;
        let client = self
            .repos
            .borrow_mut()
            .find_application(id)
            .map_err(drop)?
            .ok_or(())?;
        of_grant(grant, client.uid.as_str(), scopes, until)
    }

    fn live(
        &self,
        pair: Option<TokenPair>,
        end: impl Fn(&TokenPair) -> Option<Timestamp>,
    ) -> Result<Option<OxideGrant>, ConversionError> {
        let live = pair.and_then(|pair| {
            let until = end(&pair).filter(|until| self.now < *until)?;
            matches!(pair.state, TokenPairState::Current).then_some((pair, until))
        });
        let Some((pair, until)) = live else {
            return Ok(None);
        };
        let grant = self
            .repos
            .borrow_mut()
            .find_grant(pair.grant_id)
            .map_err(drop)?
            .ok_or(())?;
        self.recovered(&grant, &pair.scopes, until).map(Some)
    }
}

impl<R: GrantRepository + ApplicationQueries + ?Sized> Authorizer for StoreSession<'_, R> {
    /// Issues a code, which expires at the grant's `until`.
    fn authorize(&mut self, grant: OxideGrant) -> Result<String, ConversionError> {
        let code = PlainSecret::generate_dated(CODE_PREFIX, self.secrets, self.now);
        let until = to_timestamp(grant.until)?;
        let new = NewGrant {
            code: Some((code.digest(), until)),
            ..self.new_grant(&grant)?
        };
        self.repos.borrow_mut().insert_grant(&new).map_err(drop)?;
        Ok(code.reveal().to_owned())
    }

    /// Spends a code by revoking its grant, so that it is redeemed only once; `issue` creates a grant of its own.
    fn extract(&mut self, token: &str) -> Result<Option<OxideGrant>, ConversionError> {
        let digest = PlainSecret::new(token).digest();
        let found = self
            .repos
            .borrow_mut()
            .find_grant_by_code(&digest)
            .map_err(drop)?;
        let Some(grant) = found.filter(|grant| matches!(grant.state, GrantState::Issued)) else {
            return Ok(None);
        };
        let until = grant.code_expires_at.ok_or(())?;
        let first = self
            .repos
            .borrow_mut()
            .revoke_grant(grant.id, self.now)
            .map_err(drop)?;
        if first {
            self.recovered(&grant, &grant.scopes, until).map(Some)
        } else {
            Ok(None)
        }
    }
}

impl<R: GrantRepository + ApplicationQueries + ?Sized> Issuer for StoreSession<'_, R> {
    /// Issues tokens. The policy's lifetime for the application replaces the grant's `until`.
    fn issue(&mut self, grant: OxideGrant) -> Result<IssuedToken, ConversionError> {
        let options = self.client(&grant.client_id)?.options;
        let new = self.new_grant(&grant)?;
        let [access, refresh] = [ACCESS_PREFIX, REFRESH_PREFIX]
            .map(|prefix| PlainSecret::generate_dated(prefix, self.secrets, self.now));
        let idle_end = self.now.plus_seconds(self.policy.refresh_idle_seconds);
        let expires_at = self
            .now
            .plus_seconds(self.policy.access_seconds_of(&options));
        let mut repos = self.repos.borrow_mut();
        let pair = NewTokenPair {
            access: access.digest(),
            refresh: Some((refresh.digest(), idle_end.min(new.expires_at))),
            grant_id: repos.insert_grant(&new).map_err(drop)?,
            subject: new.subject,
            scopes: new.scopes,
            created_at: self.now,
            expires_at,
        };
        repos.insert_pair(&pair).map_err(drop)?;
        Ok(IssuedToken {
            token: access.reveal().to_owned(),
            refresh: Some(refresh.reveal().to_owned()),
            until: from_timestamp(expires_at)?,
            token_type: TokenType::Bearer,
        })
    }

    /// Rotates a refresh token. The scope of `grant` is that of the next access token; the store determines the owner.
    fn refresh(
        &mut self,
        token: &str,
        grant: OxideGrant,
    ) -> Result<RefreshedToken, ConversionError> {
        let client = self.client(&grant.client_id)?;
        let request = Refresh {
            application_id: Some(client.id),
            allowed: client.scopes,
            presented: PlainSecret::new(token),
            scopes: Some(read_scopes(&grant.scope, &self.policy.scopes)?),
            redirect_uri: None,
            code_verifier: None,
            access_seconds: Some(self.policy.access_seconds_of(&client.options)),
            seed: RotationSeed::generate(self.secrets, self.now),
            now: self.now,
        };
        match refresh(&mut **self.repos.borrow_mut(), &request, &self.policy).map_err(drop)? {
            RefreshOutcome::Refreshed(next) => Ok(RefreshedToken {
                token: next.secrets.access.reveal().to_owned(),
                refresh: Some(next.secrets.refresh.reveal().to_owned()),
                until: from_timestamp(next.expires_at)?,
                token_type: TokenType::Bearer,
            }),
            _ => Err(()),
        }
    }

    fn recover_token<'a>(&'a self, token: &'a str) -> Result<Option<OxideGrant>, ConversionError> {
        let digest = PlainSecret::new(token).digest();
        let pair = self
            .repos
            .borrow_mut()
            .find_pair_by_access(&digest)
            .map_err(drop)?;
        self.live(pair, |pair| Some(pair.expires_at))
    }

    fn recover_refresh<'a>(
        &'a self,
        token: &'a str,
    ) -> Result<Option<OxideGrant>, ConversionError> {
        let digest = PlainSecret::new(token).digest();
        let pair = self
            .repos
            .borrow_mut()
            .find_pair_by_refresh(&digest)
            .map_err(drop)?;
        self.live(pair, |pair| pair.refresh_expires_at)
    }
}
