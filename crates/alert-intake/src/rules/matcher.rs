//! Conditions on labels, as Alertmanager's filters and silences have them.

use regex::{Regex, RegexBuilder};

use super::labels::LabelSet;
use crate::model::{LabelMatcher, Silence};

/// Largest size of a compiled expression, in bytes.
const MAX_COMPILED: usize = 256 * 1024;

/// Reason to refuse matchers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatcherError {
    /// There are none, or too many.
    #[error("1 to {} matchers are needed", Silence::MAX_MATCHERS)]
    Count,
    /// A name is empty, or a text is too long.
    #[error(
        "a matcher has a name, and its texts have at most {} characters, without NUL",
        Silence::MAX_TEXT
    )]
    Text,
    /// The value is not a regular expression.
    #[error("{0:?} is not a regular expression, or is too large")]
    Expression(String),
    /// Every matcher holds for a label that is missing, so alerts without any of the labels would match.
    #[error("at least one matcher must not match the empty string")]
    Everything,
    /// The text of a filter is not a matcher.
    #[error("{0:?} is not a matcher, such as name=\"value\"; the operators are = != =~ !~")]
    Syntax(String),
}

/// Conditions that must all hold.
#[derive(Debug, Clone)]
pub struct MatcherSet(Vec<(String, ValueCondition)>);

#[derive(Debug, Clone)]
enum ValueCondition {
    Equal(String),
    NotEqual(String),
    Like(Regex),
    NotLike(Regex),
}

impl ValueCondition {
    fn holds(&self, value: &str) -> bool {
        match self {
            Self::Equal(expected) => value == expected,
            Self::NotEqual(expected) => value != expected,
            Self::Like(expression) => expression.is_match(value),
            Self::NotLike(expression) => !expression.is_match(value),
        }
    }
}

impl MatcherSet {
    /// Compiles matchers, any number of them.
    ///
    /// # Errors
    /// [`MatcherError::Text`] and [`MatcherError::Expression`].
    pub fn compile(matchers: &[LabelMatcher]) -> Result<Self, MatcherError> {
        let conditions = matchers.iter().map(|matcher| {
            let is_valid =
                |text: &str| text.chars().count() <= Silence::MAX_TEXT && !text.contains('\0');
            if matcher.name.is_empty() || !is_valid(&matcher.name) || !is_valid(&matcher.value) {
                return Err(MatcherError::Text);
            }
            Ok((matcher.name.clone(), condition(matcher)?))
        });
        conditions.collect::<Result<_, _>>().map(Self)
    }

    /// Compiles the matchers of a silence.
    ///
    /// # Errors
    /// See [`MatcherError`].
    pub fn of_silence(matchers: &[LabelMatcher]) -> Result<Self, MatcherError> {
        if !(1..=Silence::MAX_MATCHERS).contains(&matchers.len()) {
            return Err(MatcherError::Count);
        }
        let set = Self::compile(matchers)?;
        if set.0.iter().all(|(_, condition)| condition.holds("")) {
            return Err(MatcherError::Everything);
        }
        Ok(set)
    }

    /// True if all conditions hold for the labels. A label that is missing counts as empty.
    pub fn matches(&self, labels: &LabelSet) -> bool {
        self.0.iter().all(|(name, condition)| {
            let value = labels.get(name).map_or("", String::as_str);
            condition.holds(value)
        })
    }
}

fn condition(matcher: &LabelMatcher) -> Result<ValueCondition, MatcherError> {
    let value = &matcher.value;
    if !matcher.is_regex {
        return Ok(if matcher.is_equal {
            ValueCondition::Equal(value.clone())
        } else {
            ValueCondition::NotEqual(value.clone())
        });
    }
    let expression = RegexBuilder::new(&format!("^(?:{value})$"))
        .size_limit(MAX_COMPILED)
        .build()
        .map_err(|_| MatcherError::Expression(value.clone()))?;
    Ok(if matcher.is_equal {
        ValueCondition::Like(expression)
    } else {
        ValueCondition::NotLike(expression)
    })
}

impl LabelMatcher {
    /// Parses the text of a matcher: a name, one of `=`, `!=`, `=~` and `!~`, and a value. Name and value may be quoted, with
    /// `\"`, `\\` and `\n` for the characters that need it.
    ///
    /// # Errors
    /// [`MatcherError::Syntax`].
    pub fn parse(text: &str) -> Result<Self, MatcherError> {
        let invalid = || MatcherError::Syntax(text.to_owned());
        let trimmed = text.trim();
        let (name, rest) = name_of(trimmed).ok_or_else(invalid)?;
        let rest = rest.trim_start();
        let operators = [
            ("=~", true, true),
            ("!~", true, false),
            ("!=", false, false),
            ("=", false, true),
        ];
        let found = operators
            .into_iter()
            .find_map(|(operator, is_regex, is_equal)| {
                let value = rest.strip_prefix(operator)?;
                Some((value, is_regex, is_equal))
            });
        let (value, is_regex, is_equal) = found.ok_or_else(invalid)?;
        let value = value.trim();
        let value = if value.starts_with('"') {
            let (value, rest) = unquote(value).ok_or_else(invalid)?;
            rest.is_empty().then_some(value).ok_or_else(invalid)?
        } else {
            value.to_owned()
        };
        Ok(Self {
            name,
            value,
            is_regex,
            is_equal,
        })
    }

    /// Operator between name and value.
    pub const fn operator(&self) -> &'static str {
        match (self.is_equal, self.is_regex) {
            (true, false) => "=",
            (false, false) => "!=",
            (true, true) => "=~",
            (false, true) => "!~",
        }
    }
}

impl std::fmt::Display for LabelMatcher {
    /// Writes the text that [`LabelMatcher::parse`] reads.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
        if self.name.chars().all(is_plain) {
            f.write_str(&self.name)?;
        } else {
            quote(&self.name, f)?;
        }
        f.write_str(self.operator())?;
        quote(&self.value, f)
    }
}

fn quote(text: &str, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    write!(f, "\"{escaped}\"")
}

/// Returns the name at the start of a matcher, and the rest.
fn name_of(text: &str) -> Option<(String, &str)> {
    if text.starts_with('"') {
        return unquote(text);
    }
    let end = text.find(['=', '!', '~'])?;
    let (name, rest) = text.split_at_checked(end)?;
    let name = name.trim_end();
    (!name.is_empty()).then(|| (name.to_owned(), rest))
}

/// Returns the text in the quotes at the start, and what follows them.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut chars = text.strip_prefix('"')?.chars();
    let mut inner = String::new();
    loop {
        match chars.next()? {
            '"' => return Some((inner, chars.as_str())),
            '\\' => match chars.next()? {
                'n' => inner.push('\n'),
                escaped @ ('"' | '\\') => inner.push(escaped),
                // Expressions have escapes of their own.
                other => inner.extend(['\\', other]),
            },
            other => inner.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> LabelSet {
        let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(pair).collect()
    }

    fn set(texts: &[&str]) -> MatcherSet {
        let matchers = texts.iter().map(|text| LabelMatcher::parse(text).unwrap());
        MatcherSet::compile(&matchers.collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn all_conditions_must_hold_and_expressions_are_anchored() {
        let of = labels(&[("job", "api"), ("env", "prod")]);
        for (texts, expected) in [
            (vec!["job=api"], true),
            (vec!["job=\"api\"", "env!=test"], true),
            (vec!["job=api", "env=test"], false),
            (vec!["job=~a.*"], true),
            (vec!["job=~a"], false),
            (vec!["job=~a|api"], true),
            (vec!["job!~web.*"], true),
            (vec!["missing="], true),
            (vec!["missing!=x"], true),
            (vec!["missing=~.+"], false),
            (vec![], true),
        ] {
            assert_eq!(set(&texts).matches(&of), expected, "{texts:?}");
        }
    }

    #[test]
    fn matchers_are_read_with_and_without_quotes() {
        let read = |text| LabelMatcher::parse(text);
        let matcher = |name: &str, value: &str, is_regex, is_equal| LabelMatcher {
            name: name.to_owned(),
            value: value.to_owned(),
            is_regex,
            is_equal,
        };
        assert_eq!(read("a=b"), Ok(matcher("a", "b", false, true)));
        assert_eq!(
            read(" a != \"b c\" "),
            Ok(matcher("a", "b c", false, false))
        );
        assert_eq!(
            read(r#""my label"=~"x\.\"y\"""#),
            Ok(matcher("my label", r#"x\."y""#, true, true))
        );
        assert_eq!(read("a!~b=c"), Ok(matcher("a", "b=c", true, false)));
        for text in ["", "a", "=b", "a~b", "a=\"b", "a=\"b\"c", "\"a=b"] {
            assert_eq!(read(text), Err(MatcherError::Syntax(text.to_owned())));
        }
    }

    #[test]
    fn matchers_of_a_silence_are_bounded_and_do_not_match_everything() {
        let of = |texts: &[&str]| {
            let matchers = texts.iter().map(|text| LabelMatcher::parse(text).unwrap());
            MatcherSet::of_silence(&matchers.collect::<Vec<_>>()).err()
        };
        assert_eq!(of(&["a=b"]), None);
        assert_eq!(of(&["a=~.*", "b=c"]), None);
        assert_eq!(of(&[]), Some(MatcherError::Count));
        assert_eq!(of(&["a=b"; 51]), Some(MatcherError::Count));
        for everything in ["a=", "a=~.*", "a!=b", "a!~b"] {
            assert_eq!(of(&[everything]), Some(MatcherError::Everything));
        }
        let large = "(x{1000}){1000}";
        for expression in ["(", large, "a\\"] {
            assert_eq!(
                of(&[&format!("a=~{expression}")]),
                Some(MatcherError::Expression(expression.to_owned()))
            );
        }
        let long = format!("a={}", "x".repeat(1001));
        assert_eq!(of(&[&long]), Some(MatcherError::Text));
        assert_eq!(of(&["a=\0"]), Some(MatcherError::Text));
    }

    proptest! {
        #[test]
        fn matchers_are_read_as_they_are_written(
            name in "[^\"\\\\]{1,8}|.{1,8}", value in ".{0,8}|[\"\\\\n]{0,6}", is_regex: bool, is_equal: bool,
        ) {
            let matcher = LabelMatcher { name, value, is_regex, is_equal };
            prop_assert_eq!(LabelMatcher::parse(&matcher.to_string()), Ok(matcher));
        }
    }
}
