//! Servers that listen at a Unix socket.

use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Child;

use crate::serve::url_of;
use crate::shell::{TestShell, ending};

const URL: &str = "https://gatehouse.example.com";

/// Shell whose server listens at the socket in its directory, and the path of the socket.
fn shell() -> (TestShell, std::path::PathBuf) {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let path = shell.path("http.sock");
    let listen = format!("unix:{}", path.display());
    let shell = shell.with("GATEHOUSE_SERVER_LISTEN", &listen);
    (shell.with("GATEHOUSE_SERVER_EXTERNAL_URL", URL), path)
}

fn start(shell: &TestShell) -> Child {
    let mut process = shell.spawn(&["serve"]);
    assert_eq!(url_of(&mut process), URL);
    process
}

/// Requests the health of the server at a socket.
fn health(path: &Path) -> String {
    let mut stream = UnixStream::connect(path).unwrap();
    let request = "GET /-/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn a_server_listens_at_a_unix_socket_and_removes_it_at_its_end() {
    let (shell, path) = shell();
    let mut process = start(&shell);
    assert!(health(&path).ends_with("Gatehouse OK"));
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o660);
    let ready = format!("unix:{} is ready\n", path.display());
    assert_eq!(shell.run(&["healthcheck"]).checked_output(), ready);
    // A socket that remains after a power cut is replaced, and one in use is not.
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(path.exists());
    let process = start(&shell);
    let other = shell.run(&["serve", "--data", "other"]);
    assert_eq!(other.code, 1);
    let expected = format!("cannot listen on unix:{}: ", path.display());
    assert!(other.error_output.contains(&expected), "{other:?}");
    assert!(health(&path).ends_with("Gatehouse OK"));
    crate::support::terminate(process.id());
    assert_eq!(ending(process).code, 0);
    assert!(!path.exists());
}

#[test]
fn a_file_at_the_path_of_a_socket_is_kept() {
    let (shell, path) = shell();
    std::fs::write(&path, "mine").unwrap();
    let outcome = shell.run(&["serve"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn a_unix_socket_needs_a_url() {
    let shell = TestShell::new();
    let listen = format!("unix:{}", shell.path("http.sock").display());
    let shell = shell.with("GATEHOUSE_SERVER_LISTEN", &listen);
    for command in ["serve", "check"] {
        let outcome = shell.run(&[command]);
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let expected = "set server.external_url";
        assert!(outcome.error_output.contains(expected), "{outcome:?}");
    }
}

/// The service manager removes the file of its socket, not the server.
#[test]
fn a_unix_socket_of_the_service_manager_is_used() {
    let (shell, path) = shell();
    let socket = UnixListener::bind(&path).unwrap();
    let mut process = shell.spawn_with_socket(OwnedFd::from(socket), &["serve"]);
    assert_eq!(url_of(&mut process), URL);
    assert!(health(&path).ends_with("Gatehouse OK"));
    crate::support::terminate(process.id());
    assert_eq!(ending(process).code, 0);
    assert!(path.exists());
}
