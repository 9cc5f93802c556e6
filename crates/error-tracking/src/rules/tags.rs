//! Tags of an event that are counted.

use crate::event::Report;

/// Most tags of one event that are counted.
/// The event itself shows all.
const MAX_ENTRIES: usize = 40;
/// The longest value that is counted, in characters; a longer one is cut.
const MAX_LENGTH: usize = 200;

/// Tag for the release of an event.
pub const RELEASE: &str = "release";
/// Tag for the environment in which the program ran.
pub const ENVIRONMENT: &str = "environment";

/// Tags by which errors are found and which a page shows with their shares, each name once.
/// The release, the environment, and others that are known for any program come first, then the tags that the program
/// set. If a program sets one of these names itself, the known value counts.
pub fn tags_of(report: &Report) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: &str| {
        let is_new = tags.len() < MAX_ENTRIES && tags.iter().all(|(other, _)| other != name);
        if is_new && !name.is_empty() && !value.is_empty() {
            tags.push((name.to_owned(), crate::event::cut(value, MAX_LENGTH)));
        }
    };
    add("level", report.level.as_str());
    for (name, value) in [
        (ENVIRONMENT, &report.environment),
        (RELEASE, &report.release),
        ("dist", &report.dist),
        ("transaction", &report.transaction),
        ("server_name", &report.server_name),
        ("logger", &report.logger),
    ] {
        add(name, value.as_deref().unwrap_or_default());
    }
    for name in ["browser", "os", "runtime", "device"] {
        add(name, &of_context(report, name).unwrap_or_default());
    }
    if let Some(handled) = is_handled(report) {
        add("handled", if handled { "yes" } else { "no" });
    }
    for (name, value) in &report.tags {
        add(name, value);
    }
    tags
}

/// True if the program handled the exception; `None` if unknown.
/// SDKs mark one exception of a chain as not handled, some of them the cause and some the last one, and may mark the
/// others as handled.
fn is_handled(report: &Report) -> Option<bool> {
    let mechanisms = report.exceptions.iter();
    let mechanisms = mechanisms.filter_map(|exception| exception.mechanism.as_ref());
    let marks = mechanisms.filter_map(|mechanism| mechanism.handled);
    marks.reduce(|all, one| all && one)
}

/// Context in one line: its name with the version, as `Firefox 120.0`.
fn of_context(report: &Report, name: &str) -> Option<String> {
    let context = report.contexts.get(name)?.as_object()?;
    // The Node SDK sends the versions of some systems with a trailing line break.
    let text = |field: &str| {
        let text = context.get(field)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    };
    let first = text("name").or_else(|| text("model"))?;
    Some(match text("version") {
        Some(version) => format!("{first} {version}"),
        None => first.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::testing::report;

    #[test]
    fn well_known_tags_precede_and_override_custom_tags() {
        let report = report(json!({
            "release": "web@1.2", "environment": "live", "level": "fatal",
            "contexts": {"browser": {"name": "Firefox", "version": "120.0"}, "os": {"name": "Debian", "version": "12.11\n"}, "device": null},
            "exception": {"type": "E", "mechanism": {"handled": false}},
            "tags": {"release": "made up", "tenant": "acme"},
        }));
        let expected = [
            ("level", "fatal"),
            ("environment", "live"),
            ("release", "web@1.2"),
            ("browser", "Firefox 120.0"),
            ("os", "Debian 12.11"),
            ("handled", "no"),
            ("tenant", "acme"),
        ];
        assert_eq!(
            tags_of(&report),
            expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn a_chain_is_handled_when_all_of_it_is() {
        let handled = |marks: &[Option<bool>]| {
            let exceptions = marks
                .iter()
                .map(|mark| json!({"type": "E", "mechanism": {"handled": mark}}));
            let exceptions: Vec<_> = exceptions.collect();
            let tags = tags_of(&report(json!({ "exception": exceptions })));
            let mut found = tags.into_iter().filter(|(name, _)| name == "handled");
            found.next().map(|(_, value)| value)
        };
        assert_eq!(handled(&[None, None]), None);
        assert_eq!(handled(&[Some(true), None]).as_deref(), Some("yes"));
        assert_eq!(handled(&[Some(true), Some(false)]).as_deref(), Some("no"));
        // The JavaScript SDK marks an uncaught error and its cause this way.
        assert_eq!(handled(&[Some(false), Some(true)]).as_deref(), Some("no"));
    }

    #[test]
    fn tags_are_bounded() {
        let many: serde_json::Map<_, _> = (0..100)
            .map(|number| (format!("tag-{number}"), json!("x".repeat(300))))
            .collect();
        let tags = tags_of(&report(json!({ "tags": many })));
        assert_eq!(tags.len(), MAX_ENTRIES);
        assert!(
            tags.iter()
                .all(|(_, value)| value.chars().count() <= MAX_LENGTH)
        );
    }
}
