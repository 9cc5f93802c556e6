//! A team's first week with the crate `gitlab`: places, members, labels, milestones, issues and notes, and their
//! deletion.

mod places;
mod work;

use gitlab::Gitlab;
use gitlab::api::{self, ApiError, Endpoint, Pageable, Pagination, Query as _};
use serde::Deserialize;
use serde_json::Value;

/// Setup from the test.
#[derive(Debug, Deserialize)]
struct Story {
    base_url: String,
    token: String,
}

/// The crate's own client, and helper methods of the story.
struct Client(Gitlab);

impl Client {
    /// Returns the response of an endpoint as JSON.
    #[track_caller]
    fn ask<E: Endpoint>(&self, endpoint: E) -> Value {
        let found: Result<Value, _> = endpoint.query(&self.0);
        found.expect("an answer")
    }

    /// Calls an endpoint and ignores its response.
    #[track_caller]
    fn tell<E: Endpoint>(&self, endpoint: E) {
        api::ignore(endpoint).query(&self.0).expect("an answer");
    }

    /// All rows of a list, page by page.
    #[track_caller]
    fn all<E: Endpoint + Pageable + Sync>(&self, endpoint: E) -> Vec<Value> {
        let paged = api::paged(endpoint, Pagination::All);
        paged.query(&self.0).expect("all pages")
    }

    /// Asserts that a call fails with the crate's own error of a status.
    #[track_caller]
    fn refused<E: Endpoint>(&self, endpoint: E, status: u16) {
        let answer: Result<Value, ApiError<_>> = endpoint.query(&self.0);
        let (ApiError::GitlabWithStatus { status: found, .. }
        | ApiError::GitlabObjectWithStatus { status: found, .. }) = answer.expect_err("a refusal")
        else {
            panic!("another error")
        };
        assert_eq!(found.as_u16(), status);
    }
}

/// Plays the story with the setup in the argument.
pub(crate) fn play(json: &str) {
    let story: Story = serde_json::from_str(json).expect("what the test says");
    let host = story.base_url.trim_start_matches("http://");
    let gitlab = Gitlab::builder(host, story.token).insecure().build();
    let client = Client(gitlab.expect("a client that is signed in"));
    let people = places::people(&client);
    let places = places::create(&client, &people);
    places::members(&client, &places, &people);
    let issue = work::file(&client, &places, &people);
    work::discuss(&client, &places, issue);
    work::end(&client, &places, issue);
    places::end(&client, &places, &people);
    println!("groups, projects, members, issues and notes, made and gone");
}

/// The number in a field.
fn number(value: &Value, field: &str) -> u64 {
    value[field].as_u64().unwrap_or_else(|| panic!("{value}"))
}

/// The texts in a field of rows, in alphabetical order.
fn texts(rows: &[Value], field: &str) -> Vec<String> {
    let mut texts: Vec<String> = rows
        .iter()
        .map(|row| row[field].as_str().expect("a text").to_owned())
        .collect();
    texts.sort();
    texts
}
