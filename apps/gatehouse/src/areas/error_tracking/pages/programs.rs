//! Code snippets that make a program report its errors.

/// A code snippet.
pub(super) struct SetupSnippet {
    /// Language of the program.
    pub(super) title: &'static str,
    /// First step, such as installing the SDK.
    pub(super) first: &'static str,
    /// Code to paste.
    pub(super) text: String,
}

/// Returns the snippets for a DSN.
/// The command line gets the address to which events are posted.
pub(super) fn snippets(dsn: &str) -> Vec<SetupSnippet> {
    vec![
        SetupSnippet {
            title: "Python",
            first: "pip install sentry-sdk",
            text: format!(
                "import sentry_sdk\n\nsentry_sdk.init(\n    dsn=\"{dsn}\",\n    release=\"web-shop@1.0.0\",\n    environment=\"production\",\n)"
            ),
        },
        SetupSnippet {
            title: "JavaScript",
            first: "npm install @sentry/browser (or @sentry/node)",
            text: format!(
                "import * as Sentry from \"@sentry/browser\";\n\nSentry.init({{\n  dsn: \"{dsn}\",\n  release: \"web-shop@1.0.0\",\n  environment: \"production\",\n}});"
            ),
        },
        SetupSnippet {
            title: "Rust",
            first: "cargo add sentry",
            text: format!(
                "let _guard = sentry::init((\n    \"{dsn}\",\n    sentry::ClientOptions {{\n        release: sentry::release_name!(),\n        environment: Some(\"production\".into()),\n        ..Default::default()\n    }},\n));"
            ),
        },
        SetupSnippet {
            title: "Command line",
            first: "Send a test event",
            text: curl(dsn),
        },
    ]
}

/// Builds a command that reports one error.
/// Derives the address from the DSN as SDKs do.
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
