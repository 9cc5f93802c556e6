//! A mail server that accepts everything and keeps it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::polling::eventually_ok;

/// A received mail.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedMail {
    /// Address of the envelope.
    pub(crate) to: String,
    /// Headers and body, with lines that end in `\n`.
    pub(crate) text: String,
}

impl ReceivedMail {
    /// Returns the value of a header of one line.
    pub(crate) fn header(&self, name: &str) -> String {
        let mut lines = self.text.lines();
        let line = lines.find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap().to_owned()
    }

    /// Returns the path of the link to the server with this URL, in the plain text.
    pub(crate) fn path(&self, base_url: &str) -> String {
        // Long lines are broken (RFC 2045, section 6.7).
        let text = if self.text.contains("quoted-printable") {
            self.text.replace("=\n", "").replace("=3D", "=")
        } else {
            self.text.clone()
        };
        let path = text.lines().find_map(|line| line.strip_prefix(base_url));
        path.unwrap().to_owned()
    }
}

/// A mail server.
#[derive(Debug)]
pub(crate) struct MailServer {
    port: u16,
    received: Arc<Mutex<Vec<ReceivedMail>>>,
}

impl MailServer {
    /// A server on a port of its own.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        // The thread ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = Arc::clone(&kept);
                thread::spawn(move || serve(stream, &kept));
            }
        });
        Self { port, received }
    }

    /// Configuration of a server that sends its mail here.
    pub(crate) fn configuration(&self) -> String {
        format!(
            "[mail]\nhost = \"127.0.0.1\"\nport = {}\nsecurity = \"none\"\nfrom = \"gatehouse@example.com\"\n",
            self.port
        )
    }

    /// The mails received so far.
    pub(crate) fn received(&self) -> Vec<ReceivedMail> {
        self.received.lock().unwrap().clone()
    }

    /// Waits for this number of mails, and returns them.
    pub(crate) fn wait_for(&self, count: usize) -> Vec<ReceivedMail> {
        eventually_ok("mails arrive", || {
            let received = self.received();
            if received.len() >= count {
                Ok(received)
            } else {
                Err(format!("{received:?}"))
            }
        })
    }
}

/// Serves one connection.
fn serve(stream: TcpStream, kept: &Mutex<Vec<ReceivedMail>>) -> Option<()> {
    let mut answers = stream.try_clone().ok()?;
    let mut lines = BufReader::new(stream).lines();
    let mut say = move |text: &str| answers.write_all(format!("{text}\r\n").as_bytes()).ok();
    say("220 mail")?;
    let mut to = String::new();
    loop {
        let line = lines.next()?.ok()?;
        match line.get(..4)? {
            "RCPT" => {
                to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                say("250 ok")?;
            }
            "DATA" => {
                say("354 go")?;
                let mut text = String::new();
                loop {
                    let line = lines.next()?.ok()?;
                    if line == "." {
                        break;
                    }
                    text.push_str(&line);
                    text.push('\n');
                }
                let mail = ReceivedMail {
                    to: to.clone(),
                    text,
                };
                kept.lock().unwrap().push(mail);
                say("250 queued")?;
            }
            "QUIT" => return say("221 bye"),
            _ => say("250 ok")?,
        }
    }
}
