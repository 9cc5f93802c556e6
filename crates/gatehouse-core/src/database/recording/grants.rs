//! Applications, grants and signing keys.

use accounts::Revoked;
use api_conventions::ids::{ApplicationId, GrantId, SessionId, SigningKeyId, TokenPairId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationQueries, ApplicationRepository,
    ApplicationUid, AuthorizationRequest, AuthorizedApplication, CodeRedemption, Family, Grant,
    GrantQueries, GrantRepository, NewApplication, NewGrant, NewSigningKey, NewTokenPair,
    PairRotation, Redemption, Rotation, RotationSeed, SigningKey, SigningKeyQueries,
    SigningKeyRepository, TokenPair,
};
use storage::StoreError;

#[cfg(test)]
use super::Looking;
use super::{End, Recording, ends_of, if_done, nothing, recorded};

recorded! {
    queries ApplicationQueries {
        fn find_application(id: ApplicationId) -> Option<Application>;
        fn find_application_by_uid(uid: &ApplicationUid) -> Option<Application>;
        fn list_applications(owner: ApplicationOwner, page: OffsetPage) -> Page<Application>;
        fn list_application_names(ids: &[ApplicationId]) -> Vec<(ApplicationId, String)>;
        fn list_authorized_applications(user: UserId, now: Timestamp) -> Vec<AuthorizedApplication>;
    }
    queries GrantQueries {
        fn find_grant(id: GrantId) -> Option<Grant>;
        fn find_grant_by_code(code: &SecretDigest) -> Option<Grant>;
        fn has_consented(user: UserId, app: ApplicationId, scopes: &ScopeSet, now: Timestamp) -> bool;
        fn find_pair_by_access(access: &SecretDigest) -> Option<TokenPair>;
        fn find_pair_by_refresh(refresh: &SecretDigest) -> Option<TokenPair>;
        fn find_authorization_request(handle: &SecretDigest) -> Option<AuthorizationRequest>;
    }
    queries SigningKeyQueries {
        fn list_signing_keys() -> Vec<SigningKey>;
    }
    changes ApplicationRepository {
        fn insert_application(application: &NewApplication) -> ApplicationId, ends nothing;
        fn update_application(id: ApplicationId, change: &ApplicationChange) -> bool,
            ends |done| if_done(*done, Revoked::Application(id));
        fn replace_secret(id: ApplicationId, secret: &SecretDigest) -> bool,
            ends |done| if_done(*done, Revoked::Application(id));
        fn delete_application(id: ApplicationId) -> bool,
            ends |done| if_done(*done, Revoked::Application(id));
    }
    changes GrantRepository {
        fn insert_authorization_request(
            handle: &SecretDigest, request: &AuthorizationRequest,
        ) -> (), ends nothing;
        fn take_authorization_request(
            handle: &SecretDigest, session: SessionId, now: Timestamp,
        ) -> Option<AuthorizationRequest>, ends nothing;
        fn insert_grant(grant: &NewGrant) -> GrantId, ends nothing;
        fn redeem_code(code: &SecretDigest, pair: &NewTokenPair, now: Timestamp) -> Redemption,
            ends nothing;
        fn lock_grants_by_code(codes: &[SecretDigest]) -> Vec<Option<Grant>>, ends nothing;
        fn redeem_codes(redemptions: &[CodeRedemption]) -> Vec<Redemption>, ends nothing;
        fn insert_pair(pair: &NewTokenPair) -> TokenPairId, ends nothing;
        fn rotate_pair(
            refresh: &SecretDigest, seed: RotationSeed, successor: &NewTokenPair, now: Timestamp,
        ) -> Rotation, ends |rotation| replaced(rotation, successor.grant_id);
        fn lock_families(refresh: &[SecretDigest]) -> Vec<Option<Family>>, ends nothing;
        fn rotate_pairs(rotations: &[PairRotation]) -> Vec<Rotation>, ends |outcomes| {
            let rotations = outcomes.iter().zip(rotations);
            let ends = rotations.filter_map(|(outcome, asked)| {
                replaced(outcome, asked.successor.grant_id)
            });
            ends.collect::<Vec<_>>()
        };
        fn revoke_grant(id: GrantId, now: Timestamp) -> bool,
            ends |done| if_done(*done, Revoked::Grant(id));
        fn revoke_grants_of_user(user: UserId, app: Option<ApplicationId>, now: Timestamp) -> usize,
            ends |count| if_done(*count > 0, Revoked::User(user));
        // Only grants whose codes were not redeemed: no token follows from them yet.
        fn revoke_unredeemed(session: SessionId, now: Timestamp) -> usize, ends nothing;
        fn delete_spent_grants(before: Timestamp, limit: usize) -> usize, ends nothing;
    }
    changes SigningKeyRepository {
        fn insert_signing_key(key: &NewSigningKey) -> Option<SigningKeyId>, ends nothing;
        fn delete_signing_keys(ids: &[SigningKeyId]) -> (), ends nothing;
    }
}

/// The pair that was replaced, if one was.
fn replaced(rotation: &Rotation, grant: GrantId) -> Option<End> {
    match rotation {
        Rotation::Rotated(_) => Some(End::Pairs(grant)),
        Rotation::NotCurrent(_) | Rotation::Unknown => None,
    }
}
