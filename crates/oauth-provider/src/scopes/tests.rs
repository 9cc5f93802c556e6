//! Tests of the scope registry.

use proptest::prelude::*;

use super::samples::{registry, set};
use super::*;

fn entry(name: &str) -> ScopeEntry {
    ScopeEntry::new(Scope::parse(name).unwrap(), "Title", "What it permits.")
}

fn names<'s>(scopes: impl IntoIterator<Item = &'s Scope>) -> Vec<&'s str> {
    scopes.into_iter().map(Scope::as_str).collect()
}

#[test]
fn a_registry_that_contradicts_itself_is_refused() {
    let scope = |name: &str| Scope::parse(name).unwrap();
    let nameless = ScopeEntry::new(scope("b"), " ", "What it permits.");
    let mute = ScopeEntry::new(scope("b"), "Title", "");
    let cases = [
        (
            vec![entry("a"), entry("b"), entry("a")],
            ScopeRegistryError::Duplicate(scope("a")),
        ),
        (
            vec![entry("a"), nameless],
            ScopeRegistryError::Undescribed(scope("b")),
        ),
        (vec![mute], ScopeRegistryError::Undescribed(scope("b"))),
        (
            vec![entry("a").by_default().not_offered()],
            ScopeRegistryError::DefaultNotOffered(scope("a")),
        ),
        (
            vec![entry("a").for_administrators().by_default()],
            ScopeRegistryError::DefaultForAdministrators(scope("a")),
        ),
    ];
    for (entries, fault) in cases {
        assert_eq!(ScopeRegistry::new(entries), Err(fault));
    }
    assert!(Scope::parse("two words").is_err() && Scope::parse("").is_err());
}

#[test]
fn a_registry_without_scopes_knows_none() {
    let none = ScopeRegistry::new([]).unwrap();
    assert!(none.parse("openid").is_err());
    assert!(none.registered_in(&set("openid api")).is_empty());
    assert!(none.default_scopes().is_empty());
    assert_eq!(none.parse(""), Ok(ScopeSet::default()));
}

#[test]
fn unknown_scope_errors_list_the_available_scopes() {
    let error = registry().parse("api apii").unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"apii\" is not a known scope; available scopes: api, read_user, sudo, openid, profile, email, groups"
    );
}

#[test]
fn scopes_not_offered_are_parsed_but_not_granted() {
    let registry = registry();
    for name in ["read_repository", "write_repository"] {
        assert!(registry.parse(name).is_ok(), "{name}");
        let refused = registry.parse_offered(&format!("api {name}")).unwrap_err();
        assert_eq!(refused.word, name);
    }
    assert_eq!(
        registry.offered_in(&set("api read_repository mystery")),
        set("api")
    );
    let registered = registry.registered_in(&set("api read_repository mystery"));
    assert_eq!(registered, set("api read_repository"));
}

#[test]
fn admin_only_and_unknown_scopes_are_excluded_for_regular_users() {
    assert_eq!(registry().open_in(&set("api sudo mystery")), set("api"));
    assert!(registry().open_in(&set("sudo")).is_empty());
}

#[test]
fn entries_come_in_the_order_of_the_registry() {
    let (registry, scopes) = (registry(), set("email api sudo mystery"));
    let entries = registry.entries_of(&scopes).map(ScopeEntry::scope);
    assert_eq!(names(entries), ["api", "sudo", "email"]);
    assert_eq!(names(registry.default_scopes()), ["api"]);
}

#[test]
fn claims_are_those_of_all_scopes_together() {
    let released = registry().released_by(&set("openid email groups mystery"));
    let expected = ReleasedClaims {
        email: true,
        groups: true,
        profile: false,
    };
    assert_eq!(released, expected);
    let both = entry("who")
        .releasing(ClaimGroup::Profile)
        .releasing(ClaimGroup::Email);
    let one = ScopeRegistry::new([both]).unwrap().released_by(&set("who"));
    assert!(one.profile && one.email && !one.groups);
}

proptest! {
    #[test]
    fn a_set_that_a_registry_gave_is_read_back_as_it_was_written(
        registered in prop::collection::btree_set("[a-z:._-]{1,8}", 1..9),
        chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..9),
        other in "[A-Z]{1,8}",
    ) {
        let registered: Vec<String> = registered.into_iter().collect();
        let registry = ScopeRegistry::new(registered.iter().map(|name| entry(name))).unwrap();
        let words: Vec<&str> = chosen.iter().map(|index| index.get(&registered).as_str()).collect();
        let given = registry.parse(&words.join(" ")).unwrap();
        let reversed: Vec<&str> = words.iter().rev().copied().collect();
        prop_assert_eq!(registry.parse(&reversed.join("  ")), Ok(given.clone()));
        let read = set(&given.to_string());
        prop_assert_eq!(&read, &given);
        prop_assert_eq!(&registry.registered_in(&read), &given);
        let strange = set(&format!("{other} {given}"));
        prop_assert_eq!(registry.registered_in(&strange), given);
        prop_assert_eq!(registry.parse(&strange.to_string()).unwrap_err().word, other);
    }
}
