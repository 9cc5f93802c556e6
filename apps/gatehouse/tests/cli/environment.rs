//! Environment variables: their values are text, whatever they look like.

use std::collections::BTreeMap;

use gatehouse::config::KEYS;

use crate::shell::TestShell;

/// Values for the settings without a default, and non-default values where a default could not be distinguished.
fn values(shell: &TestShell) -> BTreeMap<&'static str, String> {
    std::fs::write(shell.path("patterns"), "buy now\n").unwrap();
    std::fs::write(shell.path("passphrase"), "twelve or more\n").unwrap();
    let own = [
        ("server.external_url", "https://gate.example.com/ops"),
        ("server.trusted_proxies", "10.0.0.0/8, 127.0.0.1"),
        ("data.dir", "16.0"),
        ("database.url", "sqlite:15.10"),
        (
            "security.secret_key",
            "1234567890123456789012345678901234567890123456789012345678901234",
        ),
        ("backup.directory", "17.0"),
        ("backup.passphrase_file", "passphrase"),
        ("errors.allowed_networks", "10.0.0.0/8"),
        ("notifications.allowed_networks", "10.0.0.0/8"),
        ("mail.host", "127.0.0.1"),
        ("server.tls_certificate_file", "chain.pem"),
        ("server.tls_key_file", "key.pem"),
        ("mail.security", "none"),
        ("mail.username", "1e3"),
        ("mail.password", "0x2a"),
        ("mail.from", "7@example.com"),
        ("naming.service", "123"),
        ("naming.tracker", "true"),
        ("api.release", "15.10"),
        ("registry.url", "http://127.0.0.1:5000"),
        ("registry.host", "images.example.com"),
        ("spam.patterns_file", "patterns"),
        ("spam.max_links", "7"),
        ("spam.service_key", "1e3"),
        ("spam.captcha_site_key", "42"),
        ("spam.captcha_secret", "0x2a"),
        ("log.level", "warning"),
        ("metrics.token", "0x2a0000000000000000000000"),
    ];
    let defaults = KEYS
        .iter()
        .map(|key| (key.path, key.default.trim_matches('"').to_owned()));
    let own = own.map(|(path, text)| (path, text.to_owned()));
    defaults.chain(own).collect()
}

#[test]
fn every_setting_is_read_from_its_variable() {
    let mut shell = TestShell::new();
    let values = values(&shell);
    crate::tls::renew(&shell);
    assert_eq!(values.len(), KEYS.len(), "a value is of no setting");
    // An embedded database has no replica. The printed configuration has one.
    let of_both = KEYS.iter().filter(|key| key.path != "database.read_url");
    for key in of_both {
        let value = &values[key.path];
        assert!(!value.is_empty(), "{} has no value here", key.path);
        shell = shell.with(&key.variable(), value);
    }
    let migrated = shell.run(&["migrate"]).checked_output();
    assert_eq!(migrated, "sqlite:15.10 is up to date\n");
    let checked = shell.run(&["check"]).checked_output();
    assert!(
        checked.starts_with("the configuration is valid\n"),
        "{checked}"
    );
}

/// Also for a single setting, without any other possible fault.
#[test]
fn text_that_looks_like_a_number_is_text() {
    let shell = TestShell::new().with("GATEHOUSE_DATA_DIR", "16.0");
    let migrated = shell.run(&["migrate"]).checked_output();
    assert_eq!(migrated, "sqlite:16.0/gatehouse.sqlite3 is up to date\n");
    for release in ["13.10", "15.10", "16.0"] {
        let shell = TestShell::new().with("GATEHOUSE_API_RELEASE", release);
        shell.run(&["migrate"]).checked_output();
        shell.run(&["check"]).checked_output();
    }
    let error_output = TestShell::new()
        .with("GATEHOUSE_API_RELEASE", "15.1")
        .run(&["check"])
        .error_output;
    assert!(
        !error_output.contains("api.release"),
        "15.1 is a release, too: {error_output}"
    );
    let error_output = TestShell::new()
        .with("GATEHOUSE_API_RELEASE", "99.9")
        .run(&["check"])
        .error_output;
    assert!(
        error_output.contains("api.release: must be a release from 13.10 to"),
        "{error_output}"
    );
}

/// In a file, `16.0` is a number, and `"8"` is not.
#[test]
fn file_values_are_not_converted_between_text_and_number() {
    let file = "[api]\nrelease = 16.0\n[server]\nworkers = \"8\"\n";
    let shell = TestShell::new().with_file("gatehouse.toml", file);
    let error_output = shell.run(&["check"]).error_message();
    for part in [
        "api.release: must be text in quotes, but is 16 in gatehouse.toml",
        "server.workers: must be a whole number, but is \"8\" in gatehouse.toml",
    ] {
        assert!(
            error_output.contains(part),
            "{part} is not in: {error_output}"
        );
    }
}

/// Messages are for operators, who do not know the types behind them.
#[test]
fn no_message_names_a_type_of_the_programs_language() {
    let mut shell = TestShell::new();
    for key in KEYS.iter() {
        shell = shell.with(&key.variable(), "[{\"]");
    }
    let by_variable = shell.run(&["check"]).error_output;
    let sections: BTreeMap<_, Vec<_>> = KEYS.iter().fold(BTreeMap::new(), |mut all, key| {
        let (section, name) = key.path.split_once('.').unwrap();
        all.entry(section).or_insert_with(Vec::new).push(name);
        all
    });
    for value in ["[]", "{ a = 1 }", "1.5", "-1", "2020-01-01", "false"] {
        let lines = sections.iter().map(|(section, names)| {
            let names = names.iter().map(|name| format!("{name} = {value}\n"));
            format!("[{section}]\n{}", names.collect::<String>())
        });
        let shell = TestShell::new().with_file("gatehouse.toml", &lines.collect::<String>());
        for message in [&by_variable, &shell.run(&["check"]).error_output] {
            for word in [
                "usize",
                "u64",
                "i64",
                "i128",
                "f64",
                "a string",
                "boolean",
                "sequence",
                "map",
                "invalid type",
                "expected",
                "signed",
            ] {
                assert!(!message.contains(word), "{value}: {word} is in: {message}");
            }
        }
    }
}
