//! The reverse proxies of `docs/reverse-proxy.md`, started with exactly its blocks except for their addresses.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::support::{TestCaller, TestServer, eventually, outside};

/// Longest time that a peer may be silent before the test fails.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The address of clients: not that of the proxy itself.
const CLIENT: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Size of a body, in bytes: more than proxies accept by default, and more than fits into the buffers of a connection.
const BODY: usize = 24 << 20;

/// Bytes of the body that are sent before the server's side is checked.
const FIRST: usize = 1 << 16;

/// Paths that a proxy must not change.
const PATHS: [&str; 6] = [
    "/api/v4/projects/a%2Fb",
    "/api/v4/projects/a%2fb?x=%2F&y=a%20b",
    "/api/v4/projects/1/labels/a%2Fb%3Fc%25d%20e",
    "/api/v4/groups/%E2%82%AC",
    "/api/v4/projects/1/issues?labels[]=1&not=%5B%5D",
    "/-/health",
];

/// A kind of proxy.
pub(crate) struct ProxyKind {
    /// The language of its blocks in the document.
    language: &'static str,
    variable: &'static str,
    program: &'static str,
    /// The configuration around a block, whose addresses are those of the test.
    configuration: fn(&Path, &str, &str) -> String,
    /// Arguments of the program for the directory of its configuration.
    arguments: fn(&Path) -> Vec<String>,
}

pub(crate) const NGINX: ProxyKind = ProxyKind {
    language: "nginx",
    variable: "GATEHOUSE_TEST_NGINX",
    program: "/usr/sbin/nginx",
    configuration: |directory, block, address| {
        let block = block.replace("listen 80;", &format!("listen {address};"));
        let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {}/{name};\n", directory.display()))
            .concat();
        let place = directory.display();
        format!(
            "user root root;\ndaemon off;\npid {place}/pid;\nerror_log {place}/error.log;\nevents {{}}\n\
             http {{\naccess_log off;\n{paths}{block}}}\n"
        )
    },
    arguments: |directory| {
        let place = directory.display();
        let texts = [
            "-p",
            &place.to_string(),
            "-e",
            &format!("{place}/error.log"),
            "-c",
            &format!("{place}/conf"),
        ];
        texts.map(str::to_owned).to_vec()
    },
};

const APACHE: ProxyKind = ProxyKind {
    language: "apache",
    variable: "GATEHOUSE_TEST_APACHE",
    program: "/usr/sbin/apache2",
    configuration: |directory, block, address| {
        let block = block.replace("*:80", address);
        let modules: String = [
            "mpm_event",
            "authz_core",
            "alias",
            "headers",
            "proxy",
            "proxy_http",
        ]
        .map(|name| format!("LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"))
        .concat();
        let place = directory.display();
        format!(
            "ServerRoot {place}\nDefaultRuntimeDir {place}\nPidFile {place}/pid\nErrorLog {place}/error.log\n{modules}\
             User www-data\nGroup www-data\nServerName localhost\nListen {address}\n{block}"
        )
    },
    arguments: |directory| {
        vec![
            "-DFOREGROUND".to_owned(),
            "-f".to_owned(),
            format!("{}/conf", directory.display()),
        ]
    },
};

const HAPROXY: ProxyKind = ProxyKind {
    language: "haproxy",
    variable: "GATEHOUSE_TEST_HAPROXY",
    program: "/usr/sbin/haproxy",
    configuration: |_, block, address| block.replace("bind :80", &format!("bind {address}")),
    arguments: |directory| {
        vec![
            "-db".to_owned(),
            "-f".to_owned(),
            format!("{}/conf", directory.display()),
        ]
    },
};

/// In front of the servers of a database.
pub(crate) const DATABASE_HAPROXY: ProxyKind = ProxyKind {
    configuration: |_, block, address| {
        block.replace("bind 127.0.0.1:5000", &format!("bind {address}"))
    },
    ..HAPROXY
};

const CADDY: ProxyKind = ProxyKind {
    language: "caddyfile",
    variable: "GATEHOUSE_TEST_CADDY",
    program: "/usr/bin/caddy",
    configuration: |_, block, address| {
        // Any host at the test's port, without the certificates that Caddy would fetch for a name.
        let port = address.rsplit(':').next().unwrap();
        let (_, rest) = block.split_once("example.com").unwrap();
        format!("{{\n    admin off\n}}\n\nhttp://:{port}{rest}")
    },
    arguments: |directory| {
        let file = format!("{}/conf", directory.display());
        ["run", "--adapter", "caddyfile", "--config", &file]
            .map(str::to_owned)
            .to_vec()
    },
};

/// A running proxy. It is ended when dropped.
pub(crate) struct Proxy {
    process: Child,
    _directory: TempDir,
    pub(crate) address: SocketAddr,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // The first process of some proxies ends the others when it gets SIGTERM.
        if self.process.try_wait().unwrap().is_none() {
            crate::support::terminate(self.process.id());
        }
        let _ = self.process.wait();
    }
}

/// A block of the document: the first one of a language is for a host, the second one for a path.
fn block(language: &str, number: usize) -> String {
    // Cargo runs tests in the directory of their package.
    let document = fs::read_to_string("../../docs/reverse-proxy.md").unwrap();
    let fence = format!("```{language}\n");
    let after = document.split(&fence).nth(number + 1).unwrap();
    let block = after.split("```").next().unwrap();
    assert!(block.contains("127.0.0.1:8080"), "{block}");
    block.to_owned()
}

impl Proxy {
    /// Starts a proxy in front of a server, or returns `None` if the program is not installed.
    pub(crate) fn start(kind: &ProxyKind, number: usize, server: &str) -> Option<Self> {
        let block = block(kind.language, number).replace("127.0.0.1:8080", server);
        Self::start_with(kind, &block)
    }

    /// Starts a proxy with a block, or returns `None` if the program is not installed.
    pub(crate) fn start_with(kind: &ProxyKind, block: &str) -> Option<Self> {
        let program = outside::find(kind.variable, &[kind.program])?;
        // No proxy can choose a free port and report it. Another process may take the port that was free.
        let started = (0..5).find_map(|_| {
            let directory = tempfile::tempdir().unwrap();
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = free.local_addr().unwrap();
            drop(free);
            let text = (kind.configuration)(directory.path(), block, &address.to_string());
            fs::write(directory.path().join("conf"), text).unwrap();
            let mut process = Command::new(&program)
                .args((kind.arguments)(directory.path()))
                .env("HOME", directory.path())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let is_up = eventually("the proxy is up", || {
                if process.try_wait().unwrap().is_some() {
                    return Some(false);
                }
                TcpStream::connect(address).is_ok().then_some(true)
            });
            is_up.then_some(Self {
                process,
                _directory: directory,
                address,
            })
        });
        Some(started.expect("the proxy takes its configuration"))
    }
}

/// Connects as a client with the address [`CLIENT`].
fn connect(to: SocketAddr) -> TcpStream {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::from((CLIENT, 0))).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream.set_write_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Accepts the first connection with a request.
fn accept(server: &TcpListener) -> (TcpStream, String, usize) {
    loop {
        let (mut stream, _) = server.accept().unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut received = Vec::new();
        let mut buffer = [0; 16_384];
        loop {
            let count = stream.read(&mut buffer).unwrap();
            received.extend_from_slice(&buffer[..count]);
            let end = received.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                let head = String::from_utf8(received[..end].to_vec()).unwrap();
                return (stream, head, received.len() - end - 4);
            }
            if count == 0 {
                // The connection was opened to check that the server is reachable.
                break;
            }
        }
    }
}

/// Sends a part of a request through a proxy, and checks the forwarded part before the rest is sent.
fn check_request(proxy: &Proxy, server: &TcpListener, prefix: &str, path: &str) {
    let mut client = connect(proxy.address);
    let head = format!(
        "POST {prefix}{path} HTTP/1.1\r\nHost: gatehouse.example.com\r\nX-Forwarded-For: 203.0.113.9\r\n\
         Content-Length: {BODY}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes()).unwrap();
    client.write_all(&vec![b'x'; FIRST]).unwrap();
    let (mut inside, head, mut received) = accept(server);
    let mut lines = head.lines();
    assert_eq!(lines.next().unwrap(), format!("POST {path} HTTP/1.1"));
    let forwarded: Vec<&str> = lines
        .filter_map(|line| line.split_once(": "))
        .filter(|(name, _)| name.eq_ignore_ascii_case("x-forwarded-for"))
        .map(|(_, value)| value)
        .collect();
    assert_eq!(forwarded, [CLIENT.to_string()], "{head}");
    // The client has not sent the rest, so a proxy that waits for it would forward nothing.
    let mut buffer = vec![0; 1 << 16];
    while received == 0 {
        received += inside.read(&mut buffer).unwrap();
    }
    let mut sender = client.try_clone().unwrap();
    let rest = std::thread::spawn(move || sender.write_all(&vec![b'x'; BODY - FIRST]).unwrap());
    while received < BODY {
        let count = inside.read(&mut buffer).unwrap();
        assert!(count > 0, "the body broke off after {received} bytes");
        received += count;
    }
    rest.join().unwrap();
    inside
        .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        .unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok"),
        "{answer}"
    );
}

/// API clients behind the proxy find their resources, and large alerts pass through.
fn check_server(kind: &ProxyKind, number: usize, prefix: &str) {
    let server = TestServer::start_configured("[server]\ntrusted_proxies = \"127.0.0.1\"\n");
    let Some(proxy) = Proxy::start(kind, number, &server.address()) else {
        return;
    };
    let url = format!("http://{}{prefix}", proxy.address);
    let path = server.text("/project/path");
    let found = TestCaller::new(&url, Some(server.text("/developer/token")))
        .get(&format!("/api/v4/projects/{}", path.replace('/', "%2F")));
    assert_eq!(found.expect(200)["path_with_namespace"], path);
    let intake = server
        .text("/alerts/generic_url")
        .strip_prefix(server.base_url())
        .unwrap();
    let alert = json!({ "title": "Large", "details": "x".repeat(12 << 20) });
    TestCaller::bearer(&url, server.text("/alerts/key"))
        .post(intake, &alert)
        .expect(200);
}

fn check(kind: &ProxyKind) {
    for (number, prefix) in ["", "/gatehouse"].into_iter().enumerate() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let Some(proxy) = Proxy::start(kind, number, &address) else {
            return;
        };
        for path in PATHS {
            check_request(&proxy, &server, prefix, path);
        }
        check_server(kind, number, prefix);
    }
}

#[test]
fn nginx_forwards_path_client_address_and_body() {
    check(&NGINX);
}

#[test]
fn apache_forwards_path_client_address_and_body() {
    check(&APACHE);
}

#[test]
fn haproxy_forwards_path_client_address_and_body() {
    check(&HAPROXY);
}

#[test]
fn caddy_forwards_path_client_address_and_body() {
    check(&CADDY);
}
