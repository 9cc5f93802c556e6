//! Sources of settings, and reports of their faults.

use crate::shell::TestShell;

/// A fault of every kind, from the file and the environment.
#[test]
fn all_faults_of_all_sources_are_reported_together() {
    let shell = TestShell::new()
        .with_file(
            "bad.toml",
            r#"
            [server]
            listen = "nowhere"
            workers = "many"
            unheard_of = 1
            [paging]
            max_offset = -1
            [log]
            level = "loud=="
            format = "xml"
            [naming]
            service = "Two Words"
            [mystery]
            key = true
            "#,
        )
        .with("GATEHOUSE_DATABASE_URL", "mysql://db/gate")
        .with(
            "GATEHOUSE_DATABASE_READ_URL",
            "postgres://ann:s3cret@db/gate",
        )
        .with("GATEHOUSE_SERVER_EXTERNAL_URL", "ftp://gate.example.com")
        .with("GATEHOUSE_SERVER_KEEP_ALIVE_SECONDS", "0")
        .with("GATEHOUSE_SERVR_LISTEN", "127.0.0.1:1");
    let error_output = shell
        .run(&["check", "--config", "bad.toml"])
        .error_message();
    assert!(error_output.contains("13 error(s)"), "{error_output}");
    for word in [
        "server.listen: must be an address and port",
        "server.workers: must be a whole number, but is \"many\" in bad.toml",
        "server.unheard_of: unknown key in bad.toml",
        "paging.max_offset: must be a whole number, but is -1 in bad.toml",
        "log.level: must be error, warn, info, debug, trace or off, or a list such as info,gatehouse=debug",
        "log.format: must be text or json",
        "naming.service: must be one word",
        "mystery.key: unknown key",
        "database.url: must be sqlite:PATH or postgres://",
        "database.read_url: must be postgres://…, and so must database.url",
        "server.external_url: must start with http:// or https://",
        "server.keep_alive_seconds: must be between 1 and 3600",
        "GATEHOUSE_SERVR_LISTEN: unknown environment variable",
    ] {
        assert!(
            error_output.contains(word),
            "{word} is not in: {error_output}"
        );
    }
    assert!(!error_output.contains("s3cret"), "{error_output}");
    assert!(!shell.path("data").exists(), "nothing is made");
}

/// A single fault, without consequential faults of the unread file.
#[test]
fn a_file_that_cannot_be_read_is_a_fault() {
    let shell = TestShell::new().with_file("broken.toml", "[server\nlisten = 1");
    let error_output = shell
        .run(&["check", "--config", "broken.toml"])
        .error_message();
    assert!(error_output.contains("1 error(s)"), "{error_output}");
    for word in ["broken.toml", "line 1, column 8", "invalid table header"] {
        assert!(error_output.contains(word), "{error_output}");
    }
    let error_output = shell
        .run(&["check", "--config", "missing.toml"])
        .error_message();
    let response = "the configuration file missing.toml does not exist";
    assert!(error_output.contains(response), "{error_output}");
}

/// The unreadable line may be the one with the password.
#[test]
fn contents_of_an_unparsable_file_are_not_printed() {
    let text = "[database]\nurl = \"postgres://ann:s3cret@db/gate\n";
    let shell = TestShell::new().with_file("gatehouse.toml", text);
    let error_output = shell.run(&["check"]).error_message();
    assert!(error_output.contains("line 2"), "{error_output}");
    assert!(!error_output.contains("s3cret"), "{error_output}");
}

/// A value of the wrong type is reported once, whatever else is wrong with it.
#[test]
fn values_of_a_wrong_type_are_reported_by_their_key_and_their_source() {
    let file = "[server]\nlisten = 1\n[log]\nformat = 2\n[naming]\nservice = []\n";
    let shell = TestShell::new()
        .with_file("gatehouse.toml", file)
        .with("GATEHOUSE_SERVER_WORKERS", "many");
    let error_output = shell.run(&["check"]).error_message();
    assert!(error_output.contains("4 error(s)"), "{error_output}");
    for word in [
        "- server.listen: must be text in quotes, but is 1 in gatehouse.toml",
        "- log.format: must be text in quotes, but is 2 in gatehouse.toml",
        "- naming.service: must be text in quotes, but is a list in gatehouse.toml",
        "- server.workers: must be a whole number, but is \"many\" in GATEHOUSE_SERVER_WORKERS",
    ] {
        assert!(
            error_output.contains(word),
            "{word} is not in: {error_output}"
        );
    }
    assert!(!error_output.contains("default"), "{error_output}");
}

/// Longer request lines are refused before the server could answer 414.
#[test]
fn no_limit_of_the_query_can_be_set_that_is_never_reported() {
    let bounded = |bytes: &str| {
        let shell = TestShell::new().with("GATEHOUSE_SERVER_MAX_QUERY_BYTES", bytes);
        shell.run(&["check"]).error_output
    };
    let response = "server.max_query_bytes: must be between 256 and 60000";
    assert!(bounded("60001").contains(response));
    assert!(!bounded("60000").contains(response));
}

/// Zero, which means no limit for other settings, is refused.
#[test]
fn the_deadlines_of_the_database_have_bounds() {
    for name in ["read", "write"] {
        let key = format!("database.{name}_timeout_seconds");
        let variable = format!("GATEHOUSE_DATABASE_{}_TIMEOUT_SECONDS", name.to_uppercase());
        let faults = |seconds: &str| {
            TestShell::new()
                .with(&variable, seconds)
                .run(&["check"])
                .error_output
        };
        for bad in ["0", "601"] {
            let response = format!("{key}: must be between 1 and 600");
            assert!(faults(bad).contains(&response), "{bad}: {}", faults(bad));
        }
        for bad in ["-1", "1.5", "soon"] {
            let response = format!("{key}: must be a whole number, but is \"{bad}\"");
            assert!(faults(bad).contains(&response), "{bad}: {}", faults(bad));
        }
        for good in ["1", "600"] {
            assert!(!faults(good).contains(&key), "{}", faults(good));
        }
    }
}

/// A token that begins like one of an application would be looked up among those.
#[test]
fn a_prefix_of_tokens_is_plain_and_differs_from_those_of_other_secrets() {
    let faults = |prefix: &str| {
        TestShell::new()
            .with("GATEHOUSE_SECURITY_TOKEN_PREFIX", prefix)
            .run(&["check"])
            .error_output
    };
    let plain = "security.token_prefix: must be 1 to 20 of the characters A-Z a-z 0-9 - _";
    for bad in ["", "acme:", "two words", "abcdefghijklmnopqrstu"] {
        assert!(faults(bad).contains(plain), "{bad}: {}", faults(bad));
    }
    for (bad, other) in [("ghoa_", "ghoa_"), ("gh", "ghoa_"), ("ghor_x", "ghor_")] {
        let response = format!("security.token_prefix: begins like {other}, the prefix of other");
        assert!(faults(bad).contains(&response), "{bad}: {}", faults(bad));
    }
    for good in ["acme-", "x", "2026", "abcdefghijklmnopqrst"] {
        assert!(!faults(good).contains("token_prefix"), "{}", faults(good));
    }
}

#[test]
fn no_command_starts_with_a_fault() {
    let shell = TestShell::new().with_file("gatehouse.toml", "[server]\nunheard_of = 1\n");
    for command in [
        &["serve"][..],
        &[],
        &["demo"],
        &["migrate"],
        &["check"],
        &[
            "user",
            "create",
            "--username",
            "ann",
            "--email",
            "a@example.com",
        ],
        &["token", "create", "--user", "ann"],
        &["token", "revoke", "--token-stdin"],
        &["project", "create", "--path", "a/b", "--creator", "ann"],
    ] {
        let error_output = shell.run(command).error_message();
        let response = "server.unheard_of: unknown key";
        assert!(
            error_output.contains(response),
            "{command:?}: {error_output}"
        );
    }
}

/// Each source names another database file, and the command prints the one that it used.
#[test]
fn a_flag_wins_over_a_variable_and_a_variable_over_the_file() {
    let used = |shell: &TestShell, flags: &[&str]| {
        let printed = shell.run(&[&["migrate"], flags].concat()).checked_output();
        printed.split(' ').next().unwrap().to_owned()
    };
    let shell = TestShell::new();
    assert_eq!(used(&shell, &[]), "sqlite:./data/gatehouse.sqlite3");
    let shell = shell.with_file("gatehouse.toml", "[database]\nurl = \"sqlite:file.db\"\n");
    assert_eq!(used(&shell, &[]), "sqlite:file.db");
    let shell = shell.with_file("other.toml", "[database]\nurl = \"sqlite:other.db\"\n");
    let other = ["--config", "other.toml"];
    assert_eq!(used(&shell, &other), "sqlite:other.db");
    let shell = shell.with("GATEHOUSE_DATABASE_URL", "sqlite:variable.db");
    assert_eq!(used(&shell, &[]), "sqlite:variable.db");
    assert_eq!(used(&shell, &other), "sqlite:variable.db");
    let flag = ["--database", "sqlite:flag.db"];
    assert_eq!(used(&shell, &flag), "sqlite:flag.db");
    assert_eq!(used(&shell, &[flag, other].concat()), "sqlite:flag.db");
    assert!(shell.path("flag.db").exists());
}

#[test]
fn the_directory_of_the_data_is_a_setting_too() {
    let shell = TestShell::new().with("GATEHOUSE_DATA_DIR", "from-variable");
    shell.run(&["migrate"]).checked_output();
    assert!(shell.path("from-variable/gatehouse.sqlite3").exists());
    shell
        .run(&["migrate", "--data", "from-flag"])
        .checked_output();
    assert!(shell.path("from-flag/gatehouse.sqlite3").exists());
}

/// No command prints the password in a connection URL, whether the database exists or not.
#[test]
fn passwords_of_databases_are_never_printed() {
    for url in [
        "postgres://ann:s3cret@127.0.0.1:1/gate?password=s3cret",
        "mysql://ann:s3cret@127.0.0.1/gate",
        "s3cret",
    ] {
        for command in ["check", "migrate", "serve"] {
            let by_flag = TestShell::new().run(&[command, "--database", url]);
            let shell = TestShell::new().with("GATEHOUSE_DATABASE_URL", url);
            let by_variable = shell.run(&[command]);
            for outcome in [by_flag, by_variable] {
                assert_eq!(outcome.code, 1, "{outcome:?}");
                let message = format!("{}{}", outcome.output, outcome.error_output);
                assert!(!message.contains("s3cret"), "{command}: {message}");
            }
        }
    }
}

#[test]
fn a_valid_configuration_is_reported_as_valid() {
    let shell =
        TestShell::new().with_file("gatehouse.toml", "[log]\nlevel = \"gatehouse=debug\"\n");
    shell.run(&["migrate"]).checked_output();
    let printed = shell.run(&["check"]).checked_output();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(
        lines,
        [
            "the configuration is valid",
            "sqlite:./data/gatehouse.sqlite3 is reachable and up to date; all pages and indexes are consistent"
        ]
    );
}

#[test]
fn a_database_that_cannot_be_reached_is_reported_by_its_place() {
    let shell = TestShell::new().with_file("file", "");
    let outcome = shell.run(&["check", "--data", "file/inside"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.error_output.contains("file/inside"), "{outcome:?}");
    let outcome = shell.run(&["check", "--database", "postgres://127.0.0.1:1/gate"]);
    assert_eq!(outcome.code, 1);
    let response = "cannot open the database postgres://127.0.0.1:1/gate";
    assert!(outcome.error_output.contains(response), "{outcome:?}");
}

#[test]
fn usage_is_reported_on_request_and_after_a_mistake() {
    let shell = TestShell::new();
    let version = shell.run(&["--version"]).checked_output();
    assert_eq!(
        version,
        format!("gatehouse {}\n", env!("CARGO_PKG_VERSION"))
    );
    let help = shell.run(&["--help"]).checked_output();
    for command in [
        "serve", "demo", "user", "token", "project", "migrate", "check",
    ] {
        assert!(help.contains(command), "{command}");
    }
    for mistake in [
        &["fly"][..],
        &["serve", "--fast"],
        &["token", "revoke", "s3cret"],
    ] {
        assert_eq!(shell.run(mistake).code, 2, "{mistake:?}");
    }
}

/// An invalid secret key is reported only by the violated rule: the start-up log must not contain it.
#[test]
fn a_wrong_secret_key_is_reported_without_its_value() {
    for key in ["c2hvcnQgYW5kIHNlY3JldA", "31415926535"] {
        let shell = TestShell::new().with("GATEHOUSE_SECURITY_SECRET_KEY", key);
        let error_output = shell.run(&["check"]).error_message();
        assert!(
            error_output.contains("security.secret_key: must be text: at least 32 bytes as hexadecimal digits or base64"),
            "{error_output}"
        );
        assert!(!error_output.contains(key), "{error_output}");
    }
}

/// The URL is used verbatim in pages and in the path of cookies.
#[test]
fn the_external_address_is_a_host_and_at_most_a_plain_path() {
    for (address, is_good) in [
        ("https://gate.example", true),
        ("https://gate.example:8443/", true),
        ("http://[::1]:8080/ops/gate-house_2.0~x/", true),
        ("https://gate.example/?a=b", false),
        ("https://gate.example/#top", false),
        ("https://ann:secret@gate.example", false),
        ("https://gate.example/a;Domain=example", false),
        ("https://gate.example/a//b", false),
        ("https://gate.example/%2F", false),
        ("https://gate.example/<b>", false),
        ("https://", false),
    ] {
        let shell = TestShell::new().with("GATEHOUSE_SERVER_EXTERNAL_URL", address);
        // There is no database, so that fault is always reported.
        let error_output = shell.run(&["check"]).error_output;
        if is_good {
            assert!(
                !error_output.contains("external_url"),
                "{address}: {error_output}"
            );
        } else {
            assert!(
                error_output.contains("server.external_url: must"),
                "{address}: {error_output}"
            );
        }
    }
}

/// An incomplete CAPTCHA configuration would block everyone, and an invalid pattern would let everything through.
#[test]
fn a_check_for_spam_that_cannot_work_is_a_fault() {
    let shell = TestShell::new()
        .with_file("patterns", "fine\n(\n")
        .with_file(
            "bad.toml",
            r#"
            [spam]
            patterns_file = "patterns"
            max_links = 100001
            service_url = "ftp://judge.example.com"
            captcha_site_key = "public"
            "#,
        );
    let error_output = shell
        .run(&["check", "--config", "bad.toml"])
        .error_message();
    assert!(error_output.contains("4 error(s)"), "{error_output}");
    for word in [
        "spam.patterns_file: line 2 is not a valid regular expression",
        "spam.max_links: must be at most 100000",
        "spam.service_url: must be an address such as",
        "spam.captcha_secret: is missing",
    ] {
        assert!(
            error_output.contains(word),
            "{word} is not in: {error_output}"
        );
    }
    let shell = TestShell::new()
        .with("GATEHOUSE_SPAM_PATTERNS_FILE", "nowhere")
        .with("GATEHOUSE_SPAM_CAPTCHA_SECRET", "hush-hush");
    let error_output = shell.run(&["check"]).error_message();
    for word in [
        "spam.patterns_file: cannot read nowhere",
        "spam.captcha_site_key: is missing",
    ] {
        assert!(
            error_output.contains(word),
            "{word} is not in: {error_output}"
        );
    }
    assert!(!error_output.contains("hush"), "{error_output}");
}
