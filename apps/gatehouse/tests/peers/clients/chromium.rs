//! The pages in a real browser.

use std::process::Command;

use serde_json::{Value, json};

use super::{response, run_client, script};
use crate::support::fake_service::FakeService;
use crate::support::{TestServer, outside};

/// Plays the stories of a script in a browser that starts with `setup`, and returns its last line. `None` if the
/// browser or its driver is missing.
fn stories(name: &str, setup: &Value) -> Option<String> {
    let chromium = outside::find("GATEHOUSE_TEST_CHROMIUM", &[])?;
    let node = outside::find("GATEHOUSE_TEST_NODE", &[])?;
    let packages = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[])?;
    // A browser that is killed because a story failed leaves its own files behind.
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(node);
    command
        .env("TMPDIR", temporary.path())
        .arg(script(name))
        .arg(packages)
        .arg(chromium)
        .arg(setup.to_string());
    Some(run_client(&mut command))
}

/// Checks the stories of a script, and that each of its pages was viewed six times: light and dark, on a desktop, on a
/// tablet and on a phone.
fn check(name: &str, setup: &Value, count: usize, pages: usize) {
    if let Some(last_line) = stories(name, setup) {
        assert_eq!(last_line, format!("{count} stories, {} views", pages * 6));
    }
}

/// Setup of an administrator's stories.
fn administrator(server: &TestServer) -> Value {
    let mut setup = response(server);
    setup["login"] = server.text("/admin/username").into();
    setup["password"] = server.text("/admin/password").into();
    setup
}

#[test]
fn oidc_client_ts_signs_in_and_ends_the_session_of_the_server_in_chromium() {
    let server = TestServer::start();
    let mut setup = response(&server);
    setup["admin_token"] = server.text("/admin/token").into();
    check("single_page.mjs", &setup, 2, 0);
}

#[test]
fn people_sign_in_consent_deny_register_and_set_up_a_second_factor_in_chromium() {
    let server = TestServer::start();
    check("browser.mjs", &response(&server), 14, 25);
}

#[test]
fn owners_set_up_projects_endpoints_and_issues_in_chromium_and_axe_finds_nothing() {
    let server = TestServer::start();
    check("places.mjs", &administrator(&server), 4, 24);
}

#[test]
fn owners_create_groups_and_manage_members_in_chromium_and_axe_finds_nothing() {
    let server = TestServer::start();
    check("groups.mjs", &administrator(&server), 6, 20);
}

#[test]
fn owners_work_on_errors_in_chromium_and_axe_finds_nothing() {
    let server = TestServer::start();
    check("errors.mjs", &administrator(&server), 3, 7);
}

#[test]
fn the_pictures_of_the_readme_show_alerts_and_an_error_in_chromium() {
    let server = TestServer::start();
    let mut setup = administrator(&server);
    setup["alerts_url"] = server.text("/alerts/metrics_url").into();
    setup["alerts_key"] = server.text("/alerts/key").into();
    if let Some(last_line) = stories("readme.mjs", &setup) {
        assert_eq!(last_line, "1 stories, 2 views");
    }
}

#[test]
fn users_browse_deprecations_in_chromium_and_axe_finds_nothing() {
    let server = TestServer::start();
    check("deprecations.mjs", &administrator(&server), 2, 7);
}

#[test]
fn responses_arrive_over_several_origins_and_buttons_have_their_size_in_chromium() {
    let server = TestServer::start();
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut setup = response(&server);
    setup["admin_token"] = server.text("/admin/token").into();
    setup["stranger"] = json!("zoe");
    setup["stranger_password"] = created["password"].clone();
    check("hops.mjs", &setup, 5, 0);
}

/// A stub of a CAPTCHA provider's widget: it runs in a frame of the provider, sets styles of its own, and fills in the
/// field that the form sends back.
const WIDGET: &str = r#"
const provider = new URL(".", document.currentScript.src);
for (const place of document.querySelectorAll(".g-recaptcha")) {
  place.innerHTML = '<div style="width: 304px; height: 78px"><iframe title="CAPTCHA" style="width: 304px; height: 78px; border: 0"></iframe></div><input type="hidden" name="g-recaptcha-response" value="proof">';
  place.querySelector("iframe").src = `${provider}anchor?k=${place.dataset.sitekey}`;
}
"#;

/// The frame of the widget.
const ANCHOR: &str = "<!doctype html><html lang=\"en\"><title>CAPTCHA</title><main style=\"background: #fff; color: #000\"><h2>I am a person</h2></main></html>";

#[test]
fn people_get_past_the_check_for_spam_in_chromium_and_axe_finds_nothing() {
    let provider = FakeService::start();
    provider.always("/captcha/api.js", "text/javascript", WIDGET);
    provider.always("/captcha/anchor?k=site", "text/html", ANCHOR);
    provider.always(
        "/captcha/api/siteverify",
        "application/json",
        r#"{"success":true}"#,
    );
    let server = TestServer::start_configured(&format!(
        "[spam]\nmax_links = 0\ncaptcha_url = \"{}/captcha/api\"\ncaptcha_site_key = \"site\"\ncaptcha_secret = \"hush\"\n",
        provider.url()
    ));
    server.create_project("open/tools", "public", "dev");
    server.stranger("zoe");
    let created = server.command_json(&["user", "password", "zoe", "--json"]);
    let mut setup = administrator(&server);
    setup["stranger"] = json!("zoe");
    setup["stranger_password"] = created["password"].clone();
    check("spam.mjs", &setup, 2, 3);
}
