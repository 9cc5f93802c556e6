//! Detection of secret fields by their names.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use super::ScrubSettings;

/// Reason why a value was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// The name of the field contains this word.
    Name(&'static str),
    /// The project lists fields of this name as secret.
    OfProject(String),
    /// The value is a cookie.
    Cookie,
    /// The value is the IP address of a user, and the project stores none.
    Address,
    /// The value looks like a card number.
    Card,
    /// The value looks like a private key.
    PrivateKey,
    /// The value is a password in a URL.
    Password,
    /// The value is a parameter whose name is that of a secret.
    Parameter,
    /// The value is a token with its scheme.
    Token,
    /// The value looks like a social security number.
    SocialSecurity,
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(word) => write!(formatter, "the name contains \"{word}\""),
            Self::OfProject(name) => write!(formatter, "the project filters \"{name}\""),
            Self::Cookie => formatter.write_str("cookies are sensitive"),
            Self::Address => formatter.write_str("the project stores no IP addresses"),
            Self::Card => formatter.write_str("looks like a card number"),
            Self::PrivateKey => formatter.write_str("contains a private key"),
            Self::Password => formatter.write_str("contains a URL with a password"),
            Self::Parameter => formatter.write_str("contains a secret parameter"),
            Self::Token => formatter.write_str("contains a token"),
            Self::SocialSecurity => formatter.write_str("looks like a social security number"),
        }
    }
}

/// Words that make a name secret anywhere in it.
const WITHIN: [&str; 17] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "credential",
    "mysqlpwd",
    "privatekey",
    "authorization",
    "bearer",
    "cookie",
    "cardnumber",
    "creditcard",
    "accesskey",
    "signingkey",
    "sessionid",
    "securitycode",
];
/// Words that make a name secret if they are whole words of it: `auth` is no part of `author`.
const WORDS: [&str; 12] = [
    "auth", "pwd", "pass", "token", "jwt", "csrf", "xsrf", "cvv", "cvc", "ssn", "otp", "dsn",
];
/// Endings that make a name secret, also without a separator before them: `accesstoken`, but not `maxtokens`.
const ENDS: [&str; 2] = ["token", "pwd"];
/// Names that would be secret by the lists above, and are not.
const HARMLESS: [&str; 6] = [
    "authmethod",
    "authtype",
    "authscheme",
    "passthrough",
    "passcount",
    "cookieenabled",
];

/// Rule that makes a field with this name secret; `None` if the field is not secret.
pub(super) fn rule_of(name: &str, settings: &ScrubSettings) -> Option<Rule> {
    if !settings.safe.is_empty() || !settings.sensitive.is_empty() {
        let joined = words(name).concat();
        let is_listed = |list: &[String]| {
            let mut found = list.iter().filter(|listed| {
                let listed = words(listed).concat();
                !listed.is_empty() && listed == joined
            });
            found.next().cloned()
        };
        if is_listed(&settings.safe).is_some() {
            return None;
        }
        if let Some(name) = is_listed(&settings.sensitive) {
            return Some(Rule::OfProject(name));
        }
    }
    settings
        .has_defaults
        .then(|| known_word_of(name))
        .flatten()
        .map(Rule::Name)
}

/// Names that a thread caches, and the longest of them, in bytes.
const MAX_CACHED: usize = 2000;
const MAX_CACHED_LENGTH: usize = 64;

thread_local! {
    /// Cache of the results for names: programs send the same ones again and again.
    static CACHE: RefCell<HashMap<Box<str>, Option<&'static str>>> = RefCell::default();
}

/// Word that makes a name secret, cached.
fn known_word_of(name: &str) -> Option<&'static str> {
    if name.len() > MAX_CACHED_LENGTH {
        return word_of(name);
    }
    CACHE.with_borrow_mut(|known| {
        if let Some(word) = known.get(name) {
            return *word;
        }
        if known.len() >= MAX_CACHED {
            known.clear();
        }
        let word = word_of(name);
        known.insert(name.into(), word);
        word
    })
}

/// Word that makes a name secret.
fn word_of(name: &str) -> Option<&'static str> {
    let words = words(name);
    let joined = words.concat();
    if HARMLESS.contains(&joined.as_str()) {
        return None;
    }
    let within = WITHIN.iter().filter(|word| joined.contains(**word));
    let whole = WORDS
        .iter()
        .filter(|word| words.iter().any(|own| own == **word));
    let ends = ENDS.iter().filter(|word| joined.ends_with(**word));
    let mut found = within.chain(whole).chain(ends);
    found.next().copied()
}

/// Splits a name into words in lower case; the result is the same for `X-Api-Key`, `api_key` and `apiKey`.
fn words(name: &str) -> Vec<String> {
    // Longer names are texts, and no rule applies to their words.
    const MAX_LENGTH: usize = 200;
    let mut words: Vec<String> = Vec::new();
    let mut is_new = true;
    let mut was_lower = false;
    for c in name.chars().take(MAX_LENGTH) {
        if !c.is_alphanumeric() {
            is_new = true;
            continue;
        }
        if is_new || (c.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        is_new = false;
        was_lower = c.is_lowercase() || c.is_numeric();
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_secret(name: &str) -> bool {
        rule_of(name, &ScrubSettings::default()).is_some()
    }

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            "password",
            "Password",
            "user_password",
            "passwordHash",
            "X-Api-Key",
            "apiKey",
            "API_KEY",
            "Authorization",
            "proxy-authorization",
            "auth",
            "x-auth",
            "authToken",
            "access_token",
            "accesstoken",
            "csrf",
            "X-CSRF-Token",
            "credentials",
            "MYSQL_PWD",
            "private_key",
            "client-secret",
            "Set-Cookie",
            "cardNumber",
            "card[number]",
            "JWT",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASS",
            "SENTRY_DSN",
            "sessionid",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for name in [
            "author",
            "authority",
            "author_id",
            "max_tokens",
            "tokens_used",
            "tokenizer",
            "compass",
            "passenger",
            "username",
            "key",
            "keyboard",
            "primary_key",
            "card",
            "auth_method",
            "user-agent",
            "",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn a_project_has_names_of_its_own() {
        let settings = ScrubSettings {
            sensitive: vec!["plate_number".to_owned()],
            safe: vec!["password_policy".to_owned()],
            ..ScrubSettings::default()
        };
        let of = |name: &str| rule_of(name, &settings);
        assert_eq!(
            of("plateNumber"),
            Some(Rule::OfProject("plate_number".to_owned()))
        );
        assert_eq!(of("passwordPolicy"), None);
        let without = ScrubSettings {
            has_defaults: false,
            ..settings
        };
        assert_eq!(rule_of("password", &without), None);
        assert!(rule_of("plate_number", &without).is_some());
    }
}
