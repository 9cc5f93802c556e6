//! Search queries for errors in the syntax of the web API: words, and conditions such as
//! `is:unresolved level:error "a b"`.

use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;

use super::failure::ExternalFailure;
use crate::event::cut;
use crate::model::{ErrorFilter, Level, StatusName};
use crate::rules::tags::{ENVIRONMENT, RELEASE};

/// Longest query that is parsed, in bytes, and the most conditions in it.
const MAX_LENGTH: usize = 1000;
const MAX_ENTRIES: usize = 20;

/// Part of a query that the list does not support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryFault {
    /// The status is unknown.
    #[error("the status {0} is unknown")]
    UnknownState(String),
    /// The level is unknown.
    #[error("the level {0} is unknown")]
    UnknownLevel(String),
    /// The condition on a time is not supported, or holds no time.
    #[error("the time condition {0} is not supported: use lastSeen:>= or firstSeen:< with a time")]
    UnknownTime(String),
    /// Negated conditions are not supported.
    #[error("negated conditions (!) are not supported")]
    Negated,
    /// The query is too long.
    #[error("the query is too long")]
    TooLong,
}

/// Parses a query into the conditions of a filter.
/// A query without a status matches errors of any status; treating an empty query as a search for unresolved errors is
/// up to the caller.
///
/// # Errors
/// [`QueryFault`] for a condition that is not supported. No condition is dropped silently, because a list longer than
/// requested misleads.
pub fn read_query(query: &str, filter: &mut ErrorFilter) -> Result<(), QueryFault> {
    let parts = parts(query);
    if query.len() > MAX_LENGTH || parts.len() > MAX_ENTRIES {
        return Err(QueryFault::TooLong);
    }
    filter.status = None;
    let mut words: Vec<String> = Vec::new();
    for part in parts {
        let condition = part.split_once(':').filter(|(name, _)| is_name(name));
        match condition {
            Some((name, _)) if name.starts_with('!') => return Err(QueryFault::Negated),
            Some(("is" | "status", state)) => filter.status = Some(status(state)?),
            Some(("level", level)) => filter.level = Some(self::level(level)?),
            Some(("environment", value)) => add(filter, ENVIRONMENT, value),
            Some(("release", value)) => add(filter, RELEASE, value),
            Some(("lastSeen", bound)) => filter.seen_from = Some(time(bound, ">=")?),
            Some(("firstSeen", bound)) => filter.seen_before = Some(time(bound, "<")?),
            Some((name, value)) => add(filter, name, value),
            None => words.push(part),
        }
    }
    let words = words.join(" ");
    filter.search = (!words.is_empty()).then(|| cut(&words, MAX_LENGTH));
    Ok(())
}

/// True if the text before a colon is the name of a condition.
/// Titles have colons, too: `TypeError: x` is two words.
fn is_name(text: &str) -> bool {
    let name = text.strip_prefix('!').unwrap_or(text);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    !name.is_empty()
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_plain)
}

fn add(filter: &mut ErrorFilter, name: &str, value: &str) {
    filter.tags.push((name.to_owned(), value.to_owned()));
}

fn status(word: &str) -> Result<StatusName, QueryFault> {
    match word {
        // Newer versions use these two words for the same status.
        "archived" | "muted" => Ok(StatusName::Ignored),
        word => StatusName::parse(word).ok_or_else(|| QueryFault::UnknownState(cut(word, 50))),
    }
}

fn time(bound: &str, sign: &str) -> Result<Timestamp, QueryFault> {
    let time = bound.strip_prefix(sign).and_then(Timestamp::parse_rfc3339);
    time.ok_or_else(|| QueryFault::UnknownTime(cut(bound, 50)))
}

fn level(word: &str) -> Result<Level, QueryFault> {
    Level::parse(word).ok_or_else(|| QueryFault::UnknownLevel(cut(word, 50)))
}

/// Writes the conditions of a filter as a query.
/// Search text is passed unchanged, so that people can use the tracker's own syntax.
///
/// # Errors
/// [`ExternalFailure::Unsupported`] for a condition that the syntax cannot express.
pub fn write_query(filter: &ErrorFilter) -> Result<String, ExternalFailure> {
    if filter.assignee_id.is_some() {
        return Err(ExternalFailure::Unsupported("filtering by assignee"));
    }
    if filter.sort == SortOrder::Ascending {
        return Err(ExternalFailure::Unsupported("ascending order"));
    }
    let mut parts: Vec<String> = Vec::new();
    parts.extend(
        filter
            .status
            .map(|status| format!("is:{}", status.as_str())),
    );
    parts.extend(
        filter
            .level
            .map(|level| format!("level:{}", level.as_str())),
    );
    for (name, value) in &filter.tags {
        if !is_name(name) || name.starts_with('!') || value.contains('"') {
            return Err(ExternalFailure::Unsupported(
                "a tag with this name or value",
            ));
        }
        parts.push(format!("{name}:\"{value}\""));
    }
    parts.extend(filter.seen_from.map(|time| format!("lastSeen:>={time}")));
    parts.extend(filter.seen_before.map(|time| format!("firstSeen:<{time}")));
    parts.extend(filter.search.clone());
    Ok(parts.join(" "))
}

/// Splits a query at spaces.
/// Text between quotation marks is one part, which may have spaces.
fn parts(query: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_quoted = false;
    for c in query.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => parts.push(String::new()),
            c => parts.last_mut().map_or((), |part| part.push(c)),
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::{ProjectId, UserId};

    use super::*;

    fn read(query: &str) -> Result<ErrorFilter, QueryFault> {
        let mut filter = ErrorFilter::new(ProjectId::new(1));
        filter.status = Some(StatusName::Unresolved);
        read_query(query, &mut filter).map(|()| filter)
    }

    #[test]
    fn conditions_and_search_words_are_separated() {
        let found = read(r#"is:resolved level:error browser.name:"Mobile Safari" TypeError: x is"#);
        let found = found.unwrap();
        assert_eq!(found.status, Some(StatusName::Resolved));
        assert_eq!(found.level, Some(Level::Error));
        let tag = ("browser.name".to_owned(), "Mobile Safari".to_owned());
        assert_eq!(found.tags, [tag]);
        assert_eq!(found.search.as_deref(), Some("TypeError: x is"));
    }

    #[test]
    fn a_question_without_a_state_is_about_all() {
        let found = read("  ").unwrap();
        assert_eq!((found.status, found.search), (None, None));
        assert_eq!(read("cart").unwrap().status, None);
    }

    #[test]
    fn a_written_query_reads_back() {
        let time = Timestamp::parse_rfc3339("2026-11-20T10:00:00Z");
        let mut filter = ErrorFilter::new(ProjectId::new(1));
        filter.status = Some(StatusName::Ignored);
        filter.level = Some(Level::Fatal);
        filter.tags = vec![("browser.name".to_owned(), "Mobile Safari".to_owned())];
        filter.seen_from = time;
        filter.seen_before = time;
        filter.search = Some("the cart".to_owned());
        let written = write_query(&filter).unwrap();
        assert_eq!(read(&written), Ok(filter.clone()), "{written}");
        assert_eq!(
            write_query(&ErrorFilter::new(ProjectId::new(1))),
            Ok(String::new())
        );
        for change in [
            |filter: &mut ErrorFilter| filter.sort = SortOrder::Ascending,
            |filter: &mut ErrorFilter| filter.assignee_id = Some(UserId::new(1)),
            |filter: &mut ErrorFilter| filter.tags = vec![("a b".to_owned(), "c".to_owned())],
            |filter: &mut ErrorFilter| filter.tags = vec![("a".to_owned(), "\"".to_owned())],
        ] {
            let mut filter = filter.clone();
            change(&mut filter);
            let refused = write_query(&filter);
            assert!(
                matches!(refused, Err(ExternalFailure::Unsupported(_))),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn unsupported_queries_are_rejected() {
        for (query, fault) in [
            (
                "is:assigned",
                QueryFault::UnknownState("assigned".to_owned()),
            ),
            ("level:worse", QueryFault::UnknownLevel("worse".to_owned())),
            ("!level:error", QueryFault::Negated),
            ("lastSeen:-1d", QueryFault::UnknownTime("-1d".to_owned())),
            (&"a ".repeat(30), QueryFault::TooLong),
            (&"a".repeat(2000), QueryFault::TooLong),
        ] {
            assert_eq!(read(query), Err(fault), "{query}");
        }
    }
}
