//! Events of real programs, from a folder that is not part of the project: each is sent in every form, grouped with
//! itself, and shown.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::ZlibEncoder;
use serde_json::Value;

use super::below;
use crate::support::packed::{deflate, gzip};
use crate::support::tracker::TrackerClient;
use crate::support::{TestCaller, TestServer};

/// The folder, if the environment names one. Without it, the test does nothing.
#[expect(
    clippy::disallowed_methods,
    reason = "the folder is not part of the project, so a variable names it"
)]
fn folder() -> Option<PathBuf> {
    std::env::var_os("GATEHOUSE_TEST_TRACKER_EVENTS").map(PathBuf::from)
}

/// The events of the folder, by the names of their files.
fn events(folder: &PathBuf) -> Vec<(String, Value)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let event = serde_json::from_slice(&fs::read(&path).unwrap());
            (name, event.unwrap())
        })
        .collect()
}

/// Sends an event in a form, with the given id.
fn send(tracker: &TrackerClient, event: &Value, form: usize, id: String) -> u16 {
    let mut event = event.clone();
    event["event_id"] = id.into();
    let plain = event.to_string().into_bytes();
    let envelope = [b"{}\n{\"type\":\"event\"}\n", plain.as_slice(), b"\n"].concat();
    let answer = match form {
        0 => tracker.envelope(&envelope),
        1 => tracker.post("/store/", &plain),
        2 => tracker.post_with(
            "/envelope",
            &gzip(&envelope),
            &[("Content-Encoding", "gzip")],
        ),
        3 => tracker.post_with(
            "/store",
            &deflate(&plain),
            &[("Content-Encoding", "deflate")],
        ),
        4 => tracker.post("/store/", &[b"[", plain.as_slice(), b"]"].concat()),
        _ => {
            let mut packed = Vec::new();
            let mut encoder = ZlibEncoder::new(plain.as_slice(), Compression::fast());
            std::io::Read::read_to_end(&mut encoder, &mut packed).unwrap();
            tracker.post("/store/", STANDARD.encode(packed).as_bytes())
        }
    };
    answer.status
}

const FORMS: usize = 6;

/// The numbers of all errors of the sample project.
fn numbers(server: &TestServer, caller: &TestCaller) -> BTreeSet<i64> {
    let path = below(server, "/errors?status=all&per_page=100");
    let all = caller.get(&path).list();
    all.iter()
        .map(|error| error["iid"].as_i64().unwrap())
        .collect()
}

/// ERR-03, ERR-04.
#[test]
fn events_of_real_programs_are_accepted_grouped_and_displayed() {
    let Some(folder) = folder() else { return };
    let server = TestServer::start();
    let (tracker, admin) = (server.tracker(), server.admin());
    let mut wrong = Vec::new();
    for (file, (name, event)) in events(&folder).iter().enumerate() {
        let before = numbers(&server, &admin);
        for form in 0..FORMS {
            let id = format!("{:032x}", file * 100 + form + 1);
            let status = send(&tracker, event, form, id);
            if status != 200 {
                wrong.push(format!("{name} in form {form}: {status}"));
            }
        }
        let created = numbers(&server, &admin).difference(&before).count();
        if created > 1 {
            wrong.push(format!("{name}: {created} errors of one event"));
        }
    }
    let mut browser = server.signed_in("admin");
    for iid in numbers(&server, &admin) {
        let path = format!("/acme/web-shop/-/error_tracking/{iid}/details");
        for query in ["", "?event=oldest&order=oldest"] {
            let page = browser.open(&format!("{path}{query}"));
            // Pages must load on a slow network, whatever a program sent.
            if page.status != 200 || page.text().len() > 200_000 {
                wrong.push(format!(
                    "page {iid}{query}: {} with {} bytes",
                    page.status,
                    page.text().len()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
