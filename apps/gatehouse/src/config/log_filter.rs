//! Log filter, as set by `log.level`.

use tracing_subscriber::EnvFilter;

/// Levels, the quietest first.
const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Level of all modules that a filter does not name.
const REST: &str = "warn";

/// Parses a level, or levels of parts of the program: `info,gatehouse=debug`.
/// The library takes a misspelled level for the name of a part and silences everything else, so every part must have a
/// valid level here, and so must the rest.
///
/// # Errors
/// Description of a valid value.
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
        "must be error, warn, info, debug, trace or off, or a list such as info,gatehouse=debug, but is {found:?}"
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
