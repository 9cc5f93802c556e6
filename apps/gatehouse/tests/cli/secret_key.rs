//! A lost or replaced secret key.

use std::fs;

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::support::TestCaller;

/// With another key, no user could sign in with a second factor, and no id token could be signed.
#[test]
fn a_server_does_not_start_without_the_key_that_its_database_was_written_under() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    for command in ["serve", "demo"] {
        let flags = [command, "--listen", "127.0.0.1:0", "--data", command];
        let start = || {
            let mut process = shell.spawn(&flags);
            let url = url_of(&mut process);
            TestCaller::new(&url, None)
                .get("/oauth/discovery/keys")
                .assert_ok();
            process.kill().unwrap();
            ending(process);
        };
        start();
        let (file, kept) = (shell.path(command).join("secret.key"), shell.path("kept"));
        fs::rename(&file, &kept).unwrap();
        let outcome = shell.run(&flags);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let part =
            "the secret key is missing, but secrets in the database are encrypted with it; restore";
        assert!(outcome.error_output.contains(part), "{outcome:?}");
        assert!(!outcome.error_output.contains("\"ready\""), "{outcome:?}");
        assert!(!file.exists(), "no other one is created");

        let other = TestShell::new().with("GATEHOUSE_SECURITY_SECRET_KEY", &"5a".repeat(32));
        let data = shell.path(command).display().to_string();
        let outcome = other.run(&[command, "--listen", "127.0.0.1:0", "--data", &data]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let part = "the secret key in security.secret_key is not the one that secrets in the database are encrypted with";
        assert!(outcome.error_output.contains(part), "{outcome:?}");

        fs::rename(&kept, &file).unwrap();
        start();
    }
}
