//! Many concurrent senders, with a list of the acknowledged alerts.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::{TestCaller, TestResponse, TestServer, eventually};

/// Result of a storm.
#[derive(Debug, Default)]
pub(crate) struct Storm {
    /// Every title that was sent.
    pub(crate) sent: Vec<String>,
    /// The titles that were answered with 200.
    pub(crate) acknowledged: Vec<String>,
    /// Every other response.
    pub(crate) refused: Vec<(u16, String)>,
}

/// The alert of a title.
fn alert(title: &str) -> Value {
    json!({ "title": title, "fingerprint": title, "start_time": "2024-05-01T10:00:00Z" })
}

/// A sender with an idempotency key for its alert, so that a retry is recognized.
fn retrying(sender: &TestCaller, title: &str) -> TestCaller {
    let key = title.replace(' ', "-");
    sender.clone().with("Idempotency-Key", &key)
}

/// Sends the alert of a title, for the first time or again.
#[track_caller]
pub(crate) fn send(server: &TestServer, title: &str) {
    let sender = retrying(&server.sender(), title);
    sender.post(&server.generic(), &alert(title)).assert_ok();
}

/// Runs `senders` threads that send one alert after the other until the server has ended. Calls `interrupt` as soon as
/// `enough` alerts are acknowledged, while all threads are sending.
pub(crate) fn rage(
    server: &mut TestServer,
    senders: usize,
    enough: usize,
    interrupt: impl FnOnce(&mut TestServer),
) -> Storm {
    rage_with(server, senders, enough, interrupt, |server| {
        let sender = server.sender().with("Content-Type", "application/json");
        let path = server.generic();
        move |title: &str| {
            let body = alert(title).to_string();
            retrying(&sender, title).try_send("POST", &path, body.as_bytes())
        }
    })
}

/// The same with any payload that has a title. `sender` creates the sending function of each thread, which takes the
/// title.
pub(crate) fn rage_with<S>(
    server: &mut TestServer,
    senders: usize,
    enough: usize,
    interrupt: impl FnOnce(&mut TestServer),
    sender: impl Fn(&TestServer) -> S,
) -> Storm
where
    S: Fn(&str) -> Result<TestResponse, ureq::Error> + Send,
{
    let storm = Mutex::new(Storm::default());
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..senders {
            let (send, storm, over) = (sender(server), &storm, &over);
            scope.spawn(move || send_on(&send, number, storm, over));
        }
        // Also after a panic here: the scope waits for all senders before it propagates the panic.
        let _end_storm = EndStorm(&over);
        eventually("enough is acknowledged", || {
            (storm.lock().unwrap().acknowledged.len() >= enough).then_some(())
        });
        interrupt(server);
    });
    storm.into_inner().unwrap()
}

/// Ends a storm when it is dropped.
struct EndStorm<'o>(&'o AtomicBool);

impl Drop for EndStorm<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn send_on(
    send: &impl Fn(&str) -> Result<TestResponse, ureq::Error>,
    number: usize,
    storm: &Mutex<Storm>,
    over: &AtomicBool,
) {
    for count in 0.. {
        let title = format!("storm {number} {count}");
        storm.lock().unwrap().sent.push(title.clone());
        match send(&title) {
            Ok(answer) if answer.status == 200 => storm.lock().unwrap().acknowledged.push(title),
            Ok(answer) => {
                let refused = (answer.status, answer.text());
                storm.lock().unwrap().refused.push(refused);
            }
            Err(_) => break,
        }
        if over.load(Ordering::Relaxed) {
            break;
        }
    }
}
