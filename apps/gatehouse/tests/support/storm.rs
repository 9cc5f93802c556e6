//! Many senders at once, who keep a list of what was acknowledged.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::{Caller, Server, eventually};

/// What came of a storm.
#[derive(Debug, Default)]
pub(crate) struct Storm {
    /// Every title that was sent.
    pub(crate) sent: Vec<String>,
    /// The titles that were answered with 200.
    pub(crate) acknowledged: Vec<String>,
    /// Every other answer.
    pub(crate) refused: Vec<(u16, String)>,
}

/// The alert of a title.
fn alert(title: &str) -> Value {
    json!({ "title": title, "fingerprint": title, "start_time": "2024-05-01T10:00:00Z" })
}

/// A sender that calls its alert by a key, so that a retry of it is known as one.
fn retrying(sender: &Caller, title: &str) -> Caller {
    let key = title.replace(' ', "-");
    sender.clone().with("Idempotency-Key", &key)
}

/// Sends the alert of a title, for the first time or again.
#[track_caller]
pub(crate) fn send(server: &Server, title: &str) {
    let sender = retrying(&server.sender(), title);
    sender.post(&server.generic(), &alert(title)).assert_ok();
}

/// Lets `senders` threads send one alert after the other until the server is gone. `interrupt` is called as soon
/// as `enough` alerts are acknowledged, while all of them are at it.
pub(crate) fn rage(
    server: &mut Server,
    senders: usize,
    enough: usize,
    interrupt: impl FnOnce(&mut Server),
) -> Storm {
    let storm = Mutex::new(Storm::default());
    let over = AtomicBool::new(false);
    let path = server.generic();
    thread::scope(|scope| {
        for number in 0..senders {
            let (sender, path, storm, over) = (server.sender(), &path, &storm, &over);
            scope.spawn(move || send_on(&sender, path, number, storm, over));
        }
        // Also when something panics here: the scope waits for all senders before it lets a panic through.
        let _calm = Calm(&over);
        eventually("enough alerts are acknowledged", || {
            (storm.lock().unwrap().acknowledged.len() >= enough).then_some(())
        });
        interrupt(server);
    });
    storm.into_inner().unwrap()
}

/// Ends a storm when it is dropped.
struct Calm<'o>(&'o AtomicBool);

impl Drop for Calm<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn send_on(sender: &Caller, path: &str, number: usize, storm: &Mutex<Storm>, over: &AtomicBool) {
    let sender = sender.clone().with("Content-Type", "application/json");
    for count in 0.. {
        let title = format!("storm {number} {count}");
        storm.lock().unwrap().sent.push(title.clone());
        let body = alert(&title).to_string();
        match retrying(&sender, &title).try_send("POST", path, body.as_bytes()) {
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
