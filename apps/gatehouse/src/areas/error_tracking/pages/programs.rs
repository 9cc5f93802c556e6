//! What people paste into a program so that it reports its errors.

/// Lines to paste, with what they are for.
pub(super) struct Snippet {
    /// The language.
    pub(super) title: &'static str,
    /// What to do first.
    pub(super) first: &'static str,
    /// What to paste.
    pub(super) text: String,
}

/// The lines for a DSN, and for the command line the address that events are posted to.
pub(super) fn snippets(dsn: &str) -> Vec<Snippet> {
    vec![
        Snippet {
            title: "Python",
            first: "pip install sentry-sdk",
            text: format!(
                "import sentry_sdk\n\nsentry_sdk.init(\n    dsn=\"{dsn}\",\n    release=\"web-shop@1.0.0\",\n    environment=\"production\",\n)"
            ),
        },
        Snippet {
            title: "JavaScript",
            first: "npm install @sentry/browser (or @sentry/node)",
            text: format!(
                "import * as Sentry from \"@sentry/browser\";\n\nSentry.init({{\n  dsn: \"{dsn}\",\n  release: \"web-shop@1.0.0\",\n  environment: \"production\",\n}});"
            ),
        },
        Snippet {
            title: "Rust",
            first: "cargo add sentry",
            text: format!(
                "let _guard = sentry::init((\n    \"{dsn}\",\n    sentry::ClientOptions {{\n        release: sentry::release_name!(),\n        environment: Some(\"production\".into()),\n        ..Default::default()\n    }},\n));"
            ),
        },
        Snippet {
            title: "Command line",
            first: "Send one event, to see it in the list",
            text: curl(dsn),
        },
    ]
}

/// A command that reports one error. The address is made of the DSN as SDKs make it.
fn curl(dsn: &str) -> String {
    let (scheme, rest) = dsn.split_once("://").unwrap_or(("https", dsn));
    let (key, rest) = rest.split_once('@').unwrap_or(("", rest));
    let (place, project) = rest.rsplit_once('/').unwrap_or((rest, ""));
    let body = r#"{"message":"Hello from the command line","level":"error"}"#;
    format!(
        "curl -H 'X-Sentry-Auth: Sentry sentry_version=7, sentry_key={key}' \\\n  -d '{body}' \\\n  '{scheme}://{place}/api/{project}/store/'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_gets_the_dsn_and_the_command_line_its_parts() {
        let dsn = "https://abc@git.example/api/v4/error_tracking/collector/7";
        let all = snippets(dsn);
        assert!(all[..3].iter().all(|snippet| snippet.text.contains(dsn)));
        let command = &all[3].text;
        assert!(command.contains("sentry_key=abc'"), "{command}");
        assert!(
            command.ends_with("'https://git.example/api/v4/error_tracking/collector/api/7/store/'"),
            "{command}"
        );
    }
}
