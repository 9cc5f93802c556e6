//! TLS of the server's own connections.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::signals::send;
use crate::support::eventually;

const CONFIGURATION: &str = "[server]\nlisten = \"https://127.0.0.1:0\"\nheader_timeout_seconds = 1\n\
    tls_certificate_file = \"chain.pem\"\ntls_key_file = \"key.pem\"\n";

const SERVE: [&str; 3] = ["serve", "--config", "gatehouse.toml"];

/// Writes a new certificate and its key to the files of the configuration.
pub(crate) fn renew(shell: &TestShell) -> CertifiedKey<KeyPair> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = generate_simple_self_signed(names).unwrap();
    std::fs::write(shell.path("chain.pem"), made.cert.pem()).unwrap();
    std::fs::write(shell.path("key.pem"), made.signing_key.serialize_pem()).unwrap();
    made
}

fn shell() -> (TestShell, CertifiedKey<KeyPair>) {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let shell = shell.with_file("gatehouse.toml", CONFIGURATION);
    let certificate = renew(&shell);
    (shell, certificate)
}

/// Requests the health of a server over a new connection, trusting one certificate.
fn health(url: &str, trusted: &CertifiedKey<KeyPair>) -> Result<String, ureq::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let trusted = [Certificate::from_der(trusted.cert.der()).to_owned()];
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::new_with_certs(&trusted))
        .unversioned_rustls_crypto_provider(provider)
        .build();
    let agent = ureq::Agent::config_builder().tls_config(tls).build();
    let agent = ureq::Agent::new_with_config(agent);
    let mut response = agent.get(format!("{url}/-/health")).call()?;
    response.body_mut().read_to_string()
}

fn stop(process: Child) -> String {
    crate::support::terminate(process.id());
    let outcome = ending(process);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome.error_output
}

#[test]
fn a_certificate_is_replaced_while_the_server_runs() {
    let (shell, first) = shell();
    shell.run(&["migrate"]).checked_output();
    let mut process = shell.spawn(&SERVE);
    let url = url_of(&mut process);
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    assert_eq!(health(&url, &first).unwrap(), "Gatehouse OK");
    let listen = url.clone();
    let check = TestShell::new().with("GATEHOUSE_SERVER_LISTEN", &listen);
    let check = ["CERTIFICATE", "KEY"]
        .into_iter()
        .fold(check, |check, name| {
            check.with(&format!("GATEHOUSE_SERVER_TLS_{name}_FILE"), "unread.pem")
        });
    let ready = format!("{url}/-/readiness is ready\n");
    assert_eq!(check.run(&["healthcheck"]).checked_output(), ready);

    let second = renew(&shell);
    send(&process, "HUP");
    eventually("the new certificate is used", || health(&url, &second).ok());
    assert!(
        health(&url, &first).is_err(),
        "the old one is not trusted any more"
    );

    // A certificate without its key changes nothing.
    let third = renew(&shell);
    std::fs::write(shell.path("key.pem"), first.signing_key.serialize_pem()).unwrap();
    send(&process, "HUP");
    assert_eq!(health(&url, &second).unwrap(), "Gatehouse OK");
    assert!(health(&url, &third).is_err());
    let log = stop(process);
    assert!(log.contains("keeping the previous one"), "{log}");
}

/// Sends bytes, and reads until the server closes the connection.
fn exchange(url: &str, bytes: &[u8]) -> String {
    let address = url.strip_prefix("https://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let limit = Some(Duration::from_mins(1));
    stream.set_read_timeout(limit).unwrap();
    stream.write_all(bytes).unwrap();
    let mut received = Vec::new();
    stream.read_to_end(&mut received).unwrap();
    String::from_utf8_lossy(&received).into_owned()
}

#[test]
fn clients_that_speak_no_tls_or_nothing_are_refused() {
    let (shell, certificate) = shell();
    let mut process = shell.spawn(&SERVE);
    let url = url_of(&mut process);
    let answer = exchange(&url, b"GET /-/health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(
        answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
        "{answer}"
    );
    assert!(
        answer.contains("this port speaks TLS; use https://"),
        "{answer}"
    );
    // The beginning of a handshake, and none at all, for longer than a head may take.
    assert_eq!(exchange(&url, b"\x16\x03\x01\x02\x00"), "");
    assert_eq!(exchange(&url, b""), "");
    assert_eq!(health(&url, &certificate).unwrap(), "Gatehouse OK");
    let log = stop(process);
    assert!(log.contains("TLS handshake too slow"), "{log}");
}

/// A socket of the service manager has the scheme of the configured address.
#[test]
fn a_socket_of_the_service_manager_speaks_tls() {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let (shell, certificate) = shell();
    let mut process = shell.spawn_with_socket(OwnedFd::from(socket), &SERVE);
    let url = url_of(&mut process);
    assert_eq!(health(&url, &certificate).unwrap(), "Gatehouse OK");
    stop(process);
}

#[test]
fn an_unusable_certificate_is_reported_by_the_start_and_the_check() {
    let (shell, first) = shell();
    shell.run(&["migrate"]).checked_output();
    let refuses = |expected: &str| {
        for command in ["serve", "check"] {
            let outcome = shell.run(&[command, "--config", "gatehouse.toml"]);
            assert_eq!(outcome.code, 1, "{outcome:?}");
            assert!(
                outcome.error_output.contains(expected),
                "{expected}: {outcome:?}"
            );
        }
    };
    renew(&shell);
    std::fs::write(shell.path("key.pem"), first.signing_key.serialize_pem()).unwrap();
    refuses("the key key.pem cannot be used with the first certificate of chain.pem: ");
    std::fs::write(shell.path("key.pem"), "no key\n").unwrap();
    refuses("cannot read key.pem: ");
    std::fs::write(shell.path("chain.pem"), "no certificate\n").unwrap();
    refuses("chain.pem has no certificate");
    std::fs::remove_file(shell.path("chain.pem")).unwrap();
    refuses("cannot read chain.pem: ");
    std::fs::write(
        shell.path("gatehouse.toml"),
        "[server]\nlisten = \"https://127.0.0.1:0\"\n",
    )
    .unwrap();
    refuses(
        "server.tls_certificate_file: must be set, with server.tls_key_file, for an https:// address",
    );
}
