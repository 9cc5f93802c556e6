//! Passwords: hashing, verification and redaction.

use accounts::password::{PasswordError, PasswordHash};
use api_conventions::secret::{PlainSecret, SecretSource};

/// A source that fills everything with the given byte.
struct Salt(u8);

impl SecretSource for Salt {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(self.0);
    }
}

fn hash(password: &str, salt: u8) -> Result<PasswordHash, PasswordError> {
    PasswordHash::of(&PlainSecret::new(password), &Salt(salt))
}

#[test]
fn a_password_of_any_script_verifies_exactly() {
    for password in [
        "correct horse",
        "пароль-пароль",
        "🐎🐎🐎🐎🐎🐎🐎🐎",
        "  spaces  ",
        "with\0nul-inside",
    ] {
        let hashed = hash(password, 1).unwrap();
        assert!(hashed.verifies(&PlainSecret::new(password)), "{password}");
        for other in [
            &format!("{password} "),
            &password.to_uppercase(),
            password.trim(),
            "",
        ] {
            let same = other == password;
            assert_eq!(
                hashed.verifies(&PlainSecret::new(other)),
                same,
                "{password:?} {other:?}"
            );
        }
    }
}

#[test]
fn eight_characters_are_enough_whatever_their_bytes() {
    assert_eq!(hash("éééééé7", 1), Err(PasswordError::TooShort));
    assert!(hash("éééééé78", 1).is_ok());
    assert_eq!(hash("", 1), Err(PasswordError::TooShort));
}

#[test]
fn equal_passwords_have_different_hashes_under_different_salts() {
    let (first, second) = (
        hash("correct horse", 1).unwrap(),
        hash("correct horse", 2).unwrap(),
    );
    assert_ne!(first.as_str(), second.as_str());
    let restored = PasswordHash::from_stored(second.as_str().to_owned());
    assert!(restored.verifies(&PlainSecret::new("correct horse")));
}

#[test]
fn a_stored_text_that_is_no_hash_verifies_nothing() {
    let good = hash("correct horse", 1).unwrap();
    let cut = good.as_str().split_at(good.as_str().len() - 1).0;
    for stored in [
        "",
        "x",
        "$argon2id$",
        "$argon2id$v=19$m=19456,t=2,p=1$",
        cut,
        "correct horse",
    ] {
        let broken = PasswordHash::from_stored(stored.to_owned());
        assert!(
            !broken.verifies(&PlainSecret::new("correct horse")),
            "{stored}"
        );
    }
}

#[test]
fn a_password_longer_than_any_is_refused_before_it_is_hashed() {
    let hashed = hash("correct horse", 1).unwrap();
    assert!(!hashed.verifies(&PlainSecret::new("x".repeat(1_000_000))));
    assert_eq!(hash(&"é".repeat(513), 1), Err(PasswordError::TooLong));
}

#[test]
fn a_hash_shows_nothing_of_itself() {
    assert_eq!(
        format!("{:?}", hash("correct horse", 1).unwrap()),
        "PasswordHash"
    );
}
