//! Creation, verification and deletion of deploy tokens (`AUTH-06`).

use accounts::flow::deploy_tokens::{
    CreateDeployToken, DeployTokenError, create_deploy_token, delete_deploy_token,
    verify_deploy_token,
};
use accounts::{DeployToken, NewUser, TokenPlace, UserKind};
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::Store as _;

use crate::support::{Accounts, changed, now, person};

const PLACE: TokenPlace = TokenPlace::Project(ProjectId::new(7));

fn request(creator_id: UserId) -> CreateDeployToken {
    CreateDeployToken {
        name: "ci".to_owned(),
        username: None,
        scopes: ScopeSet::parse("read_repository").unwrap(),
        expires_at: Some(now().plus_seconds(60)),
        digest: SecretDigest::of("secret"),
        creator_id,
        now: now(),
    }
}

fn create(
    accounts: &Accounts,
    request: CreateDeployToken,
) -> Result<DeployToken, DeployTokenError> {
    let work = accounts
        .0
        .write(move |tx| create_deploy_token(tx, PLACE, &request));
    work.wait()
}

fn verified(accounts: &Accounts, username: &str, secret: &str, at: Timestamp) -> bool {
    let (username, digest) = (username.to_owned(), SecretDigest::of(secret));
    let found = accounts.write(move |tx| verify_deploy_token(tx, &username, &digest, at));
    found.is_some()
}

#[test]
fn a_token_is_verified_with_its_username_until_it_expires_or_is_deleted() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let token = create(&accounts, request(ann)).unwrap();
    let username = token.username();
    assert!(verified(&accounts, &username, "secret", now()));
    assert!(!verified(&accounts, "oauth2", "secret", now()));
    assert!(!verified(&accounts, &username, "another", now()));
    assert!(!verified(
        &accounts,
        &username,
        "secret",
        now().plus_seconds(60)
    ));
    let delete = move |accounts: &Accounts| {
        let token = token.clone();
        accounts.write(move |tx| delete_deploy_token(tx, &token, ann, now()))
    };
    assert!(delete(&accounts));
    assert!(!verified(&accounts, &username, "secret", now()));
    assert!(!delete(&accounts), "it was deleted before");
}

#[test]
fn invalid_requests_store_nothing() {
    let accounts = Accounts::default();
    let ann = accounts.user("ann");
    let bot = NewUser {
        kind: UserKind::ProjectBot,
        ..person("project_7_bot_x", "")
    };
    let accounts::InsertUser::Inserted(bot) = accounts.insert(bot) else {
        panic!("the name is free");
    };
    let change = |change: fn(&mut CreateDeployToken)| changed(request(ann), change);
    let scopes = |text: &str| ScopeSet::parse(text).unwrap();
    let cases = [
        (change(|it| it.name = " ".to_owned()), "name must have"),
        (change(|it| it.name = "x".repeat(256)), "name must have"),
        (
            change(|it| it.username = Some(String::new())),
            "username can",
        ),
        (
            change(|it| it.username = Some("ä".to_owned())),
            "username can",
        ),
        (
            change(|it| it.scopes = ScopeSet::default()),
            "scopes must be",
        ),
        (change(|it| it.expires_at = Some(now())), "in the future"),
        (request(bot), "only people"),
        (request(UserId::new(99)), "only people"),
        (
            CreateDeployToken {
                scopes: scopes("read_repository api"),
                ..request(ann)
            },
            "scopes must be",
        ),
    ];
    for (request, reason) in cases {
        let error = create(&accounts, request).unwrap_err();
        assert!(error.to_string().contains(reason), "{error}");
    }
    assert!(!verified(&accounts, "deploy-token-1", "secret", now()));
}
