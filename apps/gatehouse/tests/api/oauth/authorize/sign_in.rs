//! Somebody who is not signed in, on the way to an application.

use crate::oauth::support::{Client, Landing, Stage, approve};
use crate::support::browser::hidden;
use crate::support::{Answer, Server};

/// Signs the developer in at the address of a sign-in page, and gives the answer.
#[track_caller]
pub(in crate::oauth) fn sign_in_at(
    server: &Server,
    browser: &mut crate::support::browser::Browser,
    address: &str,
) -> Answer {
    let page = browser.open(address);
    assert_eq!(page.status, 200, "{}", page.text());
    let mut fields = vec![
        ("authenticity_token", hidden(&page, "authenticity_token")),
        ("user[login]", "dev".to_owned()),
        ("user[password]", server.password_of("developer")),
    ];
    if page.text().contains("name=\"return_to\"") {
        fields.push(("return_to", hidden(&page, "return_to")));
    }
    let fields: Vec<(&str, &str)> = fields.iter().map(|(a, b)| (*a, b.as_str())).collect();
    browser.post("/users/sign_in", &fields)
}

/// OAUTH-01. Through the sign-in page to the very request, with every byte of what the application sent.
#[test]
fn signing_in_leads_back_to_the_request_as_it_was() {
    let server = Server::start();
    let client = Client::tool(&server);
    let state = "a b&c=d%20+\u{e9}\u{1f600}\"";
    let request = client.asks().with("state", state);
    let mut browser = server.browser();
    let led = browser.open(&request.path());
    assert_eq!(led.status, 303);
    let address = led.header("location").unwrap().to_owned();
    assert!(
        address.starts_with("/users/sign_in?return_to="),
        "{address}"
    );
    let back = sign_in_at(&server, &mut browser, &address);
    assert_eq!(back.header("location"), Some(&*request.path()));
    let page = browser.open(&request.path());
    let landing = Landing::of(&approve(&mut browser, &page));
    assert_eq!(landing.get("state"), Some(state));
    client.redeems(&landing.code()).ask(&server).assert_ok();
}

/// D3. Nobody is asked for a password on the way to an application that is not known.
#[test]
fn nobody_signs_in_for_a_request_that_goes_nowhere() {
    let server = Server::start();
    let request = Client::web(&server).asks();
    let wrong = request.with("redirect_uri", "https://evil.example/cb");
    let answer = server.browser().open(&wrong.path());
    assert_eq!((answer.status, answer.header("location")), (400, None));
}

/// Lesson 29. Whoever was blocked meanwhile is signed in no more, and no application is answered for them.
#[test]
fn a_blocked_user_is_signed_in_nowhere() {
    let mut stage = Stage::web();
    let request = stage.client.asks();
    let page = stage.browser.open(&request.path());
    stage.server.block("dev");
    let refused = crate::support::eventually("the session ends", || {
        let answer = stage.browser.open(&request.path());
        (answer.status != 200).then_some(answer)
    });
    let address = refused.header("location").unwrap();
    assert!(address.starts_with("/users/sign_in"), "{address}");
    assert_eq!(approve(&mut stage.browser, &page).status, 403);
}
