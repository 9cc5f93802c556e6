//! Query parameters of lists: matchers, states and receivers.

use alert_intake::model::LabelMatcher;
use alert_intake::rules::labels::LabelSet;
use alert_intake::rules::matcher::MatcherSet;
use api_conventions::error::ApiError;
use url::form_urlencoded;
use web_conventions::operations::{Parameter, ParameterKind};

/// Name of the only receiver of Alertmanager's API here. Channels and rules of delivery are settings of the project.
pub(super) const RECEIVER: &str = "gatehouse";

pub(super) const FILTER: Parameter = Parameter::query(
    "filter",
    ParameterKind::Repeated,
    "Matchers that must all hold, such as `severity=\"critical\"` or `job=~\"api.*\"`.",
)
.example("severity=\"critical\"");

pub(super) const RECEIVERS: Parameter = Parameter::query(
    "receiver",
    ParameterKind::Text { min: 0, max: 1000 },
    "Regular expression for the name of the receiver, which is always `gatehouse`.",
);

pub(super) const ACTIVE: Parameter =
    flag("active", "False to leave out alerts that no silence hides.");
pub(super) const SILENCED: Parameter = flag("silenced", "False to leave out silenced alerts.");
pub(super) const MUTED: Parameter = flag("muted", "Has no effect: no alert is muted by time.");
pub(super) const INHIBITED: Parameter =
    flag("inhibited", "Has no effect: no alert inhibits another.");
pub(super) const UNPROCESSED: Parameter = flag(
    "unprocessed",
    "Has no effect: every alert is processed when it is stored.",
);

const fn flag(name: &'static str, about: &'static str) -> Parameter {
    Parameter::query(name, ParameterKind::Boolean, about)
}

/// Parsed query of a list.
#[derive(Debug)]
pub(super) struct AlertmanagerQuery {
    /// Matchers.
    pub(super) matchers: Vec<LabelMatcher>,
    /// True if alerts that no silence hides are listed.
    pub(super) active: bool,
    /// True if silenced alerts are listed.
    pub(super) silenced: bool,
    /// True if the receiver is wanted.
    pub(super) is_received: bool,
    compiled: MatcherSet,
}

impl AlertmanagerQuery {
    /// Parses a query string.
    ///
    /// # Errors
    /// 400 for a value that cannot be read, and for a parameter that Alertmanager does not have.
    pub(super) fn parse(query: &str) -> Result<Self, ApiError> {
        let invalid = |text: &str| ApiError::bad_request(text);
        let (mut matchers, mut active, mut silenced) = (Vec::new(), true, true);
        let mut is_received = true;
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let flag = || match value.as_ref() {
                "true" => Ok(true),
                "false" => Ok(false),
                _ => Err(invalid(&format!("{name} is true or false"))),
            };
            match name.as_ref() {
                "filter" => {
                    let matcher = LabelMatcher::parse(&value);
                    matchers.push(matcher.map_err(|error| invalid(&error.to_string()))?);
                }
                "active" => active = flag()?,
                "silenced" => silenced = flag()?,
                "muted" | "inhibited" | "unprocessed" => drop(flag()?),
                "receiver" if value.is_empty() => (),
                "receiver" => is_received = matches_receiver(&value)?,
                _ => return Err(invalid(&format!("{name} is not a parameter of this list"))),
            }
        }
        let compiled = MatcherSet::compile(&matchers);
        Ok(Self {
            compiled: compiled.map_err(|error| invalid(&error.to_string()))?,
            matchers,
            active,
            silenced,
            is_received,
        })
    }

    /// True if all matchers hold for the labels.
    pub(super) fn matches(&self, labels: &LabelSet) -> bool {
        self.compiled.matches(labels)
    }
}

/// True if a regular expression matches the name of the receiver.
fn matches_receiver(expression: &str) -> Result<bool, ApiError> {
    let matcher = LabelMatcher {
        name: "receiver".to_owned(),
        value: expression.to_owned(),
        is_regex: true,
        is_equal: true,
    };
    let compiled = MatcherSet::compile(&[matcher]);
    let compiled = compiled.map_err(|error| ApiError::bad_request(&error.to_string()))?;
    let labels = LabelSet::from([("receiver".to_owned(), RECEIVER.to_owned())]);
    Ok(compiled.matches(&labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_and_what_is_unknown_is_refused() {
        let query = AlertmanagerQuery::parse(
            "filter=a%3D%22b%22&filter=c!%3Dd&silenced=false&receiver=gate.*",
        );
        let query = query.unwrap();
        let texts: Vec<String> = query.matchers.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["a=\"b\"", "c!=\"d\""]);
        assert_eq!(
            (query.active, query.silenced, query.is_received),
            (true, false, true)
        );
        assert!(
            !AlertmanagerQuery::parse("receiver=web")
                .unwrap()
                .is_received
        );
        for wrong in [
            "filter=a",
            "active=1",
            "receiver=(",
            "page=2",
            "filter=a%3D~(",
        ] {
            assert!(AlertmanagerQuery::parse(wrong).is_err(), "{wrong}");
        }
    }
}
