//! The filter of log lines, as `log.level` says it.

use tracing_subscriber::EnvFilter;

/// The levels, the quietest first.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// What is logged of everything that a filter does not name.
const REST: &str = "warn";

/// Reads a level, or levels of parts of the program: `info,gatehouse=debug`. The library underneath takes a mistyped level for the
/// name of a part and is silent about all others, so every part needs a level here, and so does the rest.
///
/// # Errors
/// What it must be, in words.
pub(super) fn log_filter(text: &str) -> Result<String, String> {
    let mut parts = Vec::new();
    let mut has_rest = false;
    for part in text.split(',').map(str::trim) {
        if let Some((target, word)) = part.rsplit_once('=') {
            parts.push(format!("{}={}", target.trim(), level(word)?));
        } else {
            parts.push(level(part)?.to_owned());
            has_rest = true;
        }
    }
    if !has_rest {
        parts.insert(0, REST.to_owned());
    }
    let filter = parts.join(",");
    EnvFilter::try_new(&filter).map_err(|error| format!("{}: {error}", rule(text)))?;
    Ok(filter)
}

fn level(word: &str) -> Result<&'static str, String> {
    let word = word.trim().to_ascii_lowercase();
    let name = if word == "warning" { REST } else { &word };
    let known = LEVELS.into_iter().find(|level| *level == name);
    known.ok_or_else(|| rule(&word))
}

fn rule(found: &str) -> String {
    format!(
        "must be error, warn, info, debug, trace or off, or a list such as info,gatehouse=debug, and not {found:?}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_levels_alone_and_never_silent_by_mistake() {
        for (text, expected) in [
            ("info", "info"),
            ("WARN", "warn"),
            ("warning", "warn"),
            (" debug ", "debug"),
            ("off", "off"),
            ("gatehouse=debug", "warn,gatehouse=debug"),
            ("info, gatehouse = Warning", "info,gatehouse=warn"),
            (
                "actix_http[request]=debug,error",
                "actix_http[request]=debug,error",
            ),
        ] {
            assert_eq!(log_filter(text).as_deref(), Ok(expected), "{text}");
        }
        for bad in [
            "",
            " ",
            "loud",
            "gatehouse",
            "info,",
            "gatehouse=loud",
            "loud==",
            "3",
            "info,loud",
            "=[=info",
        ] {
            let refused = log_filter(bad).unwrap_err();
            assert!(
                refused.starts_with("must be error, warn, info"),
                "{bad}: {refused}"
            );
        }
    }
}
