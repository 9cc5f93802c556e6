//! Grants, their pairs of tokens, and the requests that come before them.
//!
//! Anyone who changes several rows of a family locks its grant first and its pairs afterwards, so that a rotation and
//! the end of the grant never wait for each other. Waiting requests are locked before grants.

mod queries;
mod repository;

use api_conventions::ids::{ApplicationId, GrantId, SessionId, TokenPairId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use oauth_provider::{
    AuthorizationRequest, CodeRedemption, Family, Grant, GrantQueries, GrantRepository, NewGrant,
    NewTokenPair, PairRotation, Redemption, Rotation, RotationSeed, TokenPair,
};
use storage::StoreError;

use crate::cached_statement::cached;
use crate::oauth::rows::grants::{GrantRow, NewGrantRow};
use crate::oauth::rows::pairs::{NewPairRow, PairRow};
use crate::oauth::rows::requests::{RequestRow, response_mode_number};
use crate::oauth::tables::{
    oauth_authorization_requests as requests, oauth_grants as grants, oauth_token_pairs as pairs,
};
use crate::rows::Row as _;
use crate::transaction::row_limit;
use queries::queries;
use repository::repository;

crate::transaction::for_each_database!(queries, repository, crate::oauth);
