//! A lost or replaced secret key.

use std::fs;

use crate::serve::url_of;
use crate::shell::{Shell, ending};
use crate::support::Caller;

/// With another key, no user could sign in with a second factor, and no id token could be signed.
#[test]
fn a_server_does_not_start_without_the_key_that_its_database_was_written_under() {
    let shell = Shell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    for command in ["serve", "demo"] {
        let flags = [command, "--listen", "127.0.0.1:0", "--data", command];
        let start = || {
            let mut process = shell.spawn(&flags);
            let url = url_of(&mut process);
            Caller::new(&url, None)
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
        let part = "there is no secret key, but the database was written under one; bring back";
        assert!(outcome.complaint.contains(part), "{outcome:?}");
        assert!(!outcome.complaint.contains("\"ready\""), "{outcome:?}");
        assert!(!file.exists(), "no other one is created");

        let other = Shell::new().with("GATEHOUSE_SECURITY_SECRET_KEY", &"5a".repeat(32));
        let data = shell.path(command).display().to_string();
        let outcome = other.run(&[command, "--listen", "127.0.0.1:0", "--data", &data]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let part = "the secret key in security.secret_key is not the one that the database was written under";
        assert!(outcome.complaint.contains(part), "{outcome:?}");

        fs::rename(&kept, &file).unwrap();
        start();
    }
}
