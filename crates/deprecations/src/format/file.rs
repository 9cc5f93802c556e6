//! Deserialization of a record's file.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use api_conventions::release::Release;
use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::Value;

use crate::model::{
    Calendar, Dates, Effect, Endpoint, Enforcement, Life, Milestone, Record, Site, SubjectKind,
    Touch,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    title: String,
    area: String,
    kind: SubjectKind,
    announced: Option<QuotedField<Release>>,
    end_of_support: Option<QuotedField<Release>>,
    removal: Option<QuotedField<Milestone>>,
    introduced: Option<QuotedField<Release>>,
    #[serde(default)]
    breaking: bool,
    replacement: Option<String>,
    body: String,
    enforcement: EnforcementWord,
    reason: Option<String>,
    edited: QuotedField<Day>,
    touches: Vec<TouchTable>,
}

/// A value in quotes, because TOML would read it as something else: 15.10 as the number 15.1.
struct QuotedField<T>(T);

trait QuotedValue: FromStr<Err: fmt::Display> {
    /// Example of the notation.
    const SAMPLE: &str;
}

impl QuotedValue for Release {
    const SAMPLE: &str = "15.10";
}

impl QuotedValue for Milestone {
    const SAMPLE: &str = "15.10";
}

struct Day(NaiveDate);

impl QuotedValue for Day {
    const SAMPLE: &str = "2023-05-22";
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let day = text.parse().map(Self);
        day.map_err(|_| format!("`{text}` is not a date; write it as {}", Self::SAMPLE))
    }
}

impl<'de, T: QuotedValue> Deserialize<'de> for QuotedField<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Quotes(PhantomData))
    }
}

struct Quotes<T>(PhantomData<T>);

impl<T: QuotedValue> Visitor<'_> for Quotes<T> {
    type Value = QuotedField<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a quoted string such as \"{}\"", T::SAMPLE)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<QuotedField<T>, E> {
        text.parse().map(QuotedField).map_err(E::custom)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum EnforcementWord {
    Enforced,
    Announced,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TouchTable {
    #[serde(default)]
    endpoints: Vec<Endpoint>,
    parameter: Option<String>,
    field: Option<String>,
    value: Option<Value>,
    /// True for the value `null`, which TOML cannot express.
    #[serde(default)]
    null: bool,
    graphql: Option<String>,
    pages: Option<Vec<String>>,
    behaviour: Option<String>,
    effect: Option<Effect>,
}

impl File {
    pub(super) fn into_record(self, id: &str, calendar: &dyn Calendar) -> Result<Record, String> {
        let touches: Result<Vec<_>, _> = self.touches.into_iter().map(TouchTable::split).collect();
        let QuotedField(Day(edited)) = self.edited;
        let life = life(
            self.introduced,
            self.announced,
            self.end_of_support,
            self.removal,
        )?;
        Ok(Record {
            id: id.to_owned(),
            title: self.title,
            area: self.area,
            kind: self.kind,
            life,
            breaking: self.breaking,
            replacement: self.replacement,
            body: self.body,
            enforcement: enforcement(self.enforcement, self.reason)?,
            touches: touches?.concat(),
            edited,
            dates: Dates::of(life, calendar),
        })
    }
}

fn life(
    introduced: Option<QuotedField<Release>>,
    announced: Option<QuotedField<Release>>,
    end_of_support: Option<QuotedField<Release>>,
    removal: Option<QuotedField<Milestone>>,
) -> Result<Life, String> {
    let [introduced, announced, end_of_support] =
        [introduced, announced, end_of_support].map(|it| it.map(|QuotedField(release)| release));
    let removal = removal.map(|QuotedField(milestone)| milestone);
    match (introduced, announced, removal) {
        (Some(release), None, None) if end_of_support.is_none() => Ok(Life::Introduced(release)),
        (None, Some(announced), Some(removal)) => Ok(Life::Deprecated {
            announced,
            end_of_support,
            removal,
        }),
        _ => Err("set either `introduced`, or both `announced` and `removal`".to_owned()),
    }
}

fn enforcement(word: EnforcementWord, reason: Option<String>) -> Result<Enforcement, String> {
    match (word, reason) {
        (EnforcementWord::Enforced, None) => Ok(Enforcement::Enforced),
        (EnforcementWord::Announced, Some(reason)) => Ok(Enforcement::Announced(reason)),
        (EnforcementWord::Announced, None) => Err("`announced` needs a `reason`".to_owned()),
        (EnforcementWord::Enforced, Some(_)) => {
            Err("`reason` is allowed only with `announced`".to_owned())
        }
    }
}

impl TouchTable {
    /// Returns one touch for each endpoint.
    fn split(self) -> Result<Vec<Touch>, String> {
        let effect = self.effect.unwrap_or(Effect::Gone);
        let touch = |site| Touch {
            site,
            effect: effect.clone(),
        };
        let value = match (self.value, self.null) {
            (None, true) => Some(Value::Null),
            (value, false) => value,
            (Some(_), true) => return Err("set `value` or `null`, not both".to_owned()),
        };
        let others = [
            self.graphql.map(Site::Graphql),
            self.pages.map(Site::Pages),
            self.behaviour.map(Site::Behaviour),
        ];
        let mut others = others.into_iter().flatten();
        let has_place = self.parameter.is_some() || self.field.is_some() || value.is_some();
        match (others.next(), others.next(), self.endpoints.is_empty()) {
            (Some(site), None, true) if !has_place => Ok(vec![touch(site)]),
            (None, None, false) => {
                let site = site_in(self.parameter, self.field, value)?;
                Ok(self
                    .endpoints
                    .into_iter()
                    .map(|it| touch(site(it)))
                    .collect())
            }
            _ => Err(
                "each entry of `touches` must have either `endpoints`, or one of `graphql`, `pages` and `behaviour`"
                    .to_owned(),
            ),
        }
    }
}

fn site_in(
    parameter: Option<String>,
    field: Option<String>,
    value: Option<Value>,
) -> Result<impl Fn(Endpoint) -> Site, String> {
    if parameter.is_some() && field.is_some() {
        return Err("set `parameter` or `field`, not both".to_owned());
    }
    if parameter.is_none() && field.is_none() && value.is_some() {
        return Err("`value` requires `parameter` or `field`".to_owned());
    }
    Ok(move |endpoint| match (&parameter, &field) {
        (Some(name), _) => Site::Parameter {
            endpoint,
            name: name.clone(),
            value: value.clone(),
        },
        (None, Some(path)) => Site::Field {
            endpoint,
            path: path.split('.').map(str::to_owned).collect(),
            value: value.clone(),
        },
        (None, None) => Site::Operation(endpoint),
    })
}
