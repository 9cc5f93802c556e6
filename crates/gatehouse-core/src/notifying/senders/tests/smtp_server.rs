//! Mail server that serves one connection.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread::JoinHandle;

/// Replies of a server.
#[derive(Clone, Copy)]
pub(super) struct Replies {
    /// Lines of the reply to `EHLO` after the first, each with a line break.
    pub(super) extensions: &'static str,
    /// Text in the addresses of refused recipients, and the reply to them.
    pub(super) refused: (&'static str, &'static str),
    /// Reply to the mail.
    pub(super) mail: &'static str,
}

impl Default for Replies {
    fn default() -> Self {
        Self {
            extensions: "",
            refused: ("@nowhere", "550 no such user"),
            mail: "250 queued as 42",
        }
    }
}

/// Starts a server, which returns all lines of the client. After `STARTTLS` it says nothing sensible any more.
pub(super) fn serve(replies: Replies) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream);
        let mut lines = Vec::new();
        let say = |reader: &mut BufReader<std::net::TcpStream>, text: &str| {
            reader
                .get_mut()
                .write_all(text.as_bytes())
                .unwrap_or_default();
            reader.get_mut().write_all(b"\r\n").unwrap_or_default();
        };
        say(&mut reader, "220 fake");
        let mut is_mail = false;
        loop {
            let mut line = Vec::new();
            if reader.read_until(b'\n', &mut line).unwrap_or(0) == 0 {
                return lines;
            }
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            lines.push(line.clone());
            if is_mail {
                if line == "." {
                    is_mail = false;
                    say(&mut reader, replies.mail);
                }
                continue;
            }
            let verb = line.get(..4).unwrap_or_default();
            let (part, refusal) = replies.refused;
            let reply = match verb {
                "EHLO" => format!("250-fake\r\n{}250 8BITMIME", replies.extensions),
                "RCPT" if line.contains(part) => refusal.to_owned(),
                "DATA" => {
                    is_mail = true;
                    "354 go".to_owned()
                }
                "AUTH" => "535 wrong password".to_owned(),
                "STAR" => "220 go\r\nthis is not TLS".to_owned(),
                "QUIT" => "221 bye".to_owned(),
                _ => "250 ok".to_owned(),
            };
            say(&mut reader, &reply);
        }
    });
    (address, served)
}
