//! Tests of applications: registration, updates, new secrets and deletion.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::secret::{PlainSecret, SecretDigest};
use oauth_provider::flow::applications::{
    ClientMetadata, Registrar, Registration, change, delete, find, register, renew_secret, validate,
};
use oauth_provider::flow::client::{ClientOutcome, authenticate_client};
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationUid, ClientType, Policy,
};

use crate::support::{TestProvider, at, registry, scopes};

const ANN: ApplicationOwner = ApplicationOwner::User(UserId::new(1));
const BEN: ApplicationOwner = ApplicationOwner::User(UserId::new(2));

fn metadata(name: &str) -> ApplicationChange {
    let metadata = ClientMetadata::new(
        name,
        "https://shop.example/cb",
        "read_user",
        ClientType::Confidential,
    );
    let registrar = Registrar::new(false);
    validate(&metadata, registrar, &Policy::new(registry())).unwrap()
}

fn registered(provider: &TestProvider, uid: &str, owner: ApplicationOwner) -> Application {
    let registration = Registration::new(
        metadata(uid),
        ApplicationUid::parse(uid).unwrap(),
        SecretDigest::of("first"),
        owner,
        at(0),
    );
    provider.write(move |tx| register(tx, registration.clone()))
}

fn found(
    provider: &TestProvider,
    owner: ApplicationOwner,
    id: ApplicationId,
) -> Option<Application> {
    provider.write(move |tx| find(tx, owner, id))
}

fn proves(provider: &TestProvider, uid: &'static str, secret: &'static str) -> bool {
    let secret = PlainSecret::new(secret);
    let outcome = provider.write(move |tx| authenticate_client(tx, uid, Some(&secret)));
    matches!(outcome, ClientOutcome::Authenticated(_))
}

#[test]
fn registered_applications_are_found_by_their_owner() {
    let provider = TestProvider::new();
    let created = registered(&provider, "shop", ANN);
    assert_eq!(
        (&created.scopes, created.owner_id),
        (&scopes("read_user"), ANN.user_id())
    );
    assert_eq!(found(&provider, ANN, created.id), Some(created));
    let created = registered(&provider, "tool", ApplicationOwner::Instance);
    assert_eq!(created.owner_id, None);
    assert_eq!(
        found(&provider, ApplicationOwner::Instance, created.id),
        Some(created)
    );
}

#[test]
fn a_change_keeps_name_and_secret_of_the_client() {
    let provider = TestProvider::new();
    let created = registered(&provider, "shop", ANN);
    let (id, update) = (created.id, metadata("Another name"));
    let changed = provider.write(move |tx| change(tx, ANN, id, &update));
    let expected = Application {
        name: "Another name".to_owned(),
        ..created
    };
    assert_eq!(changed, Some(expected));
    assert!(proves(&provider, "shop", "first"));
}

#[test]
fn another_secret_ends_the_first_one() {
    let provider = TestProvider::new();
    let id = registered(&provider, "shop", ANN).id;
    let secret = SecretDigest::of("second");
    let renewed = provider.write(move |tx| renew_secret(tx, ANN, id, secret));
    assert_eq!(renewed, found(&provider, ANN, id));
    assert!(proves(&provider, "shop", "second"));
    assert!(!proves(&provider, "shop", "first"));
}

#[test]
fn a_deleted_application_is_not_found_and_cannot_authenticate() {
    let provider = TestProvider::new();
    let id = registered(&provider, "shop", ANN).id;
    assert!(provider.write(move |tx| delete(tx, ANN, id)));
    assert_eq!(found(&provider, ANN, id), None);
    assert!(!proves(&provider, "shop", "first"));
    assert!(!provider.write(move |tx| delete(tx, ANN, id)), "once");
}

/// An application is found only by its owner: not by another user, not by the instance's administration if a user owns
/// it, and not by a user if the instance owns it.
#[test]
fn applications_of_other_owners_are_not_found_or_changed() {
    let provider = TestProvider::new();
    let of_ann = registered(&provider, "shop", ANN);
    let of_all = registered(&provider, "tool", ApplicationOwner::Instance);
    let cases = [
        (BEN, of_ann.id),
        (ApplicationOwner::Instance, of_ann.id),
        (ANN, of_all.id),
        (ANN, ApplicationId::new(4711)),
    ];
    for (owner, id) in cases {
        let update = metadata("Stolen");
        let secret = SecretDigest::of("stolen");
        assert_eq!(found(&provider, owner, id), None);
        assert_eq!(
            provider.write(move |tx| change(tx, owner, id, &update)),
            None
        );
        assert_eq!(
            provider.write(move |tx| renew_secret(tx, owner, id, secret)),
            None
        );
        assert!(!provider.write(move |tx| delete(tx, owner, id)));
    }
    assert_eq!(found(&provider, ANN, of_ann.id), Some(of_ann));
    assert_eq!(
        found(&provider, ApplicationOwner::Instance, of_all.id),
        Some(of_all)
    );
}
