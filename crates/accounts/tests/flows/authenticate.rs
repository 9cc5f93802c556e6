//! Authentication by access token (`AUTH-02`, `AUTH-09`).

use accounts::flow::authenticate::{AuthenticationOutcome, authenticate};
use accounts::{
    AccessToken, AccountQueries, DeployToken, DeployTokenFilter, Revocation, TokenFilter,
    TokenKind, TokenState, User, UserDeletion, UserFilter, UserKind, UserState, Username,
};
use api_conventions::ids::{DeployTokenId, TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreErrorKind};

use crate::support::{Accounts, at, day, now, request};

/// A store of at most one user and one token, for states that no use case reaches yet.
struct Stub {
    user: Option<User>,
    token: Option<AccessToken>,
}

impl Stub {
    fn new(state: UserState) -> Self {
        let user = User {
            id: UserId::new(1),
            username: Username::parse("ann").unwrap(),
            name: "Ann".to_owned(),
            email: String::new(),
            kind: UserKind::Human,
            is_admin: false,
            two_factor_enabled: false,
            private_profile: false,
            state,
            created_at: now(),
        };
        let token = AccessToken {
            id: TokenId::new(1),
            user_id: user.id,
            name: "ci".to_owned(),
            kind: TokenKind::Personal,
            family_id: None,
            scopes: ScopeSet::from_iter([Scope::API]),
            expires_on: day("2025-01-01"),
            state: TokenState::Active,
            creator_id: None,
            created_at: now(),
            last_used_at: None,
        };
        Self {
            user: Some(user),
            token: Some(token),
        }
    }
}

impl AccountQueries for Stub {
    fn find_user(&mut self, _: UserId) -> Result<Option<User>, StoreError> {
        Ok(self.user.clone())
    }

    fn find_user_by_username(&mut self, _: &str) -> Result<Option<User>, StoreError> {
        Ok(self.user.clone())
    }

    fn list_users_by_id(&mut self, _: &[UserId]) -> Result<Vec<User>, StoreError> {
        Ok(self.user.iter().cloned().collect())
    }

    fn list_users_by_username(&mut self, _: &[&str]) -> Result<Vec<User>, StoreError> {
        Ok(self.user.iter().cloned().collect())
    }

    fn list_users(&mut self, _: &UserFilter, page: OffsetPage) -> Result<Page<User>, StoreError> {
        let users: Vec<User> = self.user.iter().cloned().collect();
        let count = u64::try_from(users.len()).unwrap();
        Ok(Page::from_fetched(users, page, count))
    }

    fn find_bot(&mut self, _: UserKind) -> Result<Option<User>, StoreError> {
        Ok(None)
    }

    fn find_token(&mut self, _: TokenId) -> Result<Option<AccessToken>, StoreError> {
        Ok(self.token.clone())
    }

    fn list_user_deletions(&mut self, _: usize) -> Result<Vec<UserDeletion>, StoreError> {
        Ok(Vec::new())
    }

    fn list_tokens(
        &mut self,
        _: &TokenFilter,
        page: OffsetPage,
    ) -> Result<Page<AccessToken>, StoreError> {
        let tokens: Vec<AccessToken> = self.token.iter().cloned().collect();
        let count = u64::try_from(tokens.len()).unwrap();
        Ok(Page::from_fetched(tokens, page, count))
    }

    fn find_token_by_digest(
        &mut self,
        _: &SecretDigest,
    ) -> Result<Option<AccessToken>, StoreError> {
        Ok(self.token.clone())
    }

    fn find_successor_token(
        &mut self,
        _: TokenId,
        _: TokenId,
    ) -> Result<Option<AccessToken>, StoreError> {
        Ok(None)
    }

    fn list_token_names(&mut self, _: &[TokenId]) -> Result<Vec<(TokenId, String)>, StoreError> {
        let token = self.token.iter();
        Ok(token.map(|token| (token.id, token.name.clone())).collect())
    }

    fn find_deploy_token(&mut self, _: DeployTokenId) -> Result<Option<DeployToken>, StoreError> {
        Ok(None)
    }

    fn find_deploy_token_by_digest(
        &mut self,
        _: &SecretDigest,
    ) -> Result<Option<DeployToken>, StoreError> {
        Ok(None)
    }

    fn list_deploy_tokens(
        &mut self,
        _: &DeployTokenFilter,
        page: OffsetPage,
    ) -> Result<Page<DeployToken>, StoreError> {
        Ok(Page::from_fetched(Vec::new(), page, 0))
    }

    fn auth_epoch(&mut self) -> Result<i64, StoreError> {
        Ok(1)
    }

    fn list_revocations_after(&mut self, _: i64, _: usize) -> Result<Vec<Revocation>, StoreError> {
        Ok(Vec::new())
    }
}

fn validate(stub: &mut Stub, now: Timestamp) -> Result<AuthenticationOutcome, StoreError> {
    authenticate(stub, &SecretDigest::of("s"), now)
}

#[test]
fn a_good_token_acts_for_its_user_within_its_scopes() {
    let accounts = Accounts::default();
    let (ann, bob) = (accounts.user("ann"), accounts.user("bob"));
    let mut token_request = request(bob, "of bob");
    token_request.scopes = ScopeSet::from_iter([Scope::READ_USER, Scope::READ_API]);
    let id = accounts.issue(token_request.clone()).unwrap();
    accounts.issue(request(ann, "of ann")).unwrap();
    let found = accounts.authenticated("of bob", now());
    assert_eq!(
        (found.user.id, found.token_id, found.scopes),
        (bob, id, token_request.scopes)
    );
    assert_eq!(
        accounts
            .authenticated("of ann", now())
            .user
            .username
            .as_str(),
        "ann"
    );
}

#[test]
fn an_unknown_token_is_refused() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    accounts.issue(request(ann, "secret")).unwrap();
    for other in ["", "Secret", "secret ", "secre"] {
        assert!(accounts.refuses(other, now()), "{other:?}");
    }
}

/// AUTH-09.
#[test]
fn a_token_dies_at_the_first_microsecond_of_its_last_day() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let mut token_request = request(ann, "secret");
    token_request.expires_on = Some(day("2024-05-01"));
    accounts.issue(token_request).unwrap();
    let last = at("2024-04-30T23:59:59.999999Z");
    let end = at("2024-05-01T00:00:00Z");
    assert_eq!(accounts.authenticated("secret", last).expires_at, end);
    assert!(accounts.refuses("secret", end));
    assert!(accounts.refuses("secret", at("2024-05-01T00:00:00.000001Z")));
    assert!(accounts.refuses("secret", Timestamp::MAX));
}

#[test]
fn a_blocked_user_is_distinguished_only_by_a_token_that_works() {
    let blocked = UserState::Blocked { at: now() };
    let outcome = validate(&mut Stub::new(blocked), now()).unwrap();
    assert_eq!(outcome, AuthenticationOutcome::Blocked);
    let mut revoked = Stub::new(blocked);
    if let Some(token) = &mut revoked.token {
        token.state = TokenState::Revoked { at: now() };
    }
    assert_eq!(
        validate(&mut revoked, now()).unwrap(),
        AuthenticationOutcome::Refused
    );
    let expired = validate(&mut Stub::new(blocked), at("2025-01-01T00:00:00Z")).unwrap();
    assert_eq!(expired, AuthenticationOutcome::Refused);
}

#[test]
fn a_token_without_its_user_is_a_broken_store_and_no_refusal() {
    let mut stub = Stub::new(UserState::Active);
    stub.user = None;
    let error = validate(&mut stub, now()).unwrap_err();
    assert_eq!(
        (error.kind(), error.is_retryable()),
        (StoreErrorKind::Inconsistent, false)
    );
}
