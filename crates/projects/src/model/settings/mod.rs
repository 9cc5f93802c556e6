//! Settings that a project or a group stores, even if the server does not have the feature that they configure.
//!
//! A client that sends a setting reads it back, so that a second run of the client changes nothing. Each setting is a
//! row of a table ([`SettingTable`]): its name, its kind and its default. Only values that differ from the defaults are
//! stored.

mod tables;

use std::collections::BTreeMap;
use std::marker::PhantomData;

use api_conventions::params::ParamReader;
use records::FieldValue;
use serde_json::{Map, Value};

pub use tables::{ACCESS_LEVELS, GroupSettingTable, ProjectSettingTable};

/// The settings of a project.
pub type ProjectSettings = SettingValues<ProjectSettingTable>;
/// The settings of a group.
pub type GroupSettings = SettingValues<GroupSettingTable>;

/// The access level of a feature that is off.
const DISABLED: &str = "disabled";
/// The access level of a feature that is on for everybody who sees the project.
const ENABLED: &str = "enabled";

/// The values that a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingKind {
    /// A boolean.
    Flag,
    /// A word from this list.
    Word(&'static [&'static str]),
    /// A number from this list.
    Number(&'static [i64]),
    /// A whole number within bounds, both included.
    Within(i64, i64),
    /// A text of at most this many characters.
    /// An empty text counts as none.
    Text(usize),
}

/// The value of a setting that was never set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingDefault {
    /// None: `null`.
    Nothing,
    /// A boolean.
    Flag(bool),
    /// A number.
    Number(i64),
    /// A word.
    Word(&'static str),
}

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Name in requests and responses.
    pub name: &'static str,
    /// Accepted values.
    pub kind: SettingKind,
    /// Value until a user sets one.
    pub default: SettingDefault,
    /// Description, as a sentence.
    pub about: &'static str,
}

/// Table of the settings of a kind of place.
pub trait SettingTable: Clone + Default + Eq + std::fmt::Debug + Send + Sync + 'static {
    /// The settings, in the order of their names.
    const ALL: &'static [Setting];
    /// Switches, each with the access level for which it is a short form: off is `disabled`.
    const SWITCHES: &'static [(&'static str, &'static str)];
    /// Settings in another part of responses, because more users see them than the others.
    const SHOWN_SEPARATELY: &'static [&'static str];
    /// Aliases of settings, each with the name of the setting.
    const ALIASES: &'static [(&'static str, &'static str)];
}

/// The settings of one place, or a change of some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettingValues<T: SettingTable> {
    /// Values by name.
    /// A switch is among them only in a change.
    values: BTreeMap<&'static str, Value>,
    table: PhantomData<T>,
}

impl SettingDefault {
    /// The value in JSON.
    pub fn to_json(self) -> Value {
        match self {
            Self::Nothing => Value::Null,
            Self::Flag(flag) => flag.into(),
            Self::Number(number) => number.into(),
            Self::Word(word) => word.into(),
        }
    }
}

impl SettingKind {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Flag => value.is_boolean(),
            Self::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Self::Number(numbers) => value
                .as_i64()
                .is_some_and(|number| numbers.contains(&number)),
            Self::Within(min, max) => value.as_i64().is_some_and(|it| (min..=max).contains(&it)),
            Self::Text(max) => value
                .as_str()
                .is_some_and(|text| !text.is_empty() && text.chars().count() <= max),
        }
    }
}

impl<T: SettingTable> SettingValues<T> {
    /// Reads the settings in a request.
    /// The reader records an error for each invalid or contradictory value.
    fn read_given(reader: &mut ParamReader<'_>) -> Self {
        let mut values = BTreeMap::new();
        for setting in T::ALL {
            if let Some(value) = read_one(reader, setting, setting.name) {
                values.insert(setting.name, value);
            }
        }
        for (alias, name) in T::ALIASES {
            let Some(setting) = find::<T>(name) else {
                continue;
            };
            if let Some(value) = read_one(reader, setting, alias) {
                if values.get(name).is_some_and(|given| *given != value) {
                    reader.fault(alias, &format!("contradicts {name}: leave one of them out"));
                }
                values.insert(name, value);
            }
        }
        for (switch, level) in T::SWITCHES {
            let Some(is_on) = reader.boolean(switch) else {
                continue;
            };
            match values.get(level) {
                Some(given) if is_on == (given == DISABLED) => {
                    reader.fault(
                        switch,
                        &format!("contradicts {level}: leave one of them out"),
                    );
                }
                Some(_) => {}
                None => {
                    values.insert(switch, is_on.into());
                }
            }
        }
        Self {
            values,
            table: PhantomData,
        }
    }

    /// Settings that responses show together.
    pub fn response_settings() -> impl Iterator<Item = &'static Setting> {
        let all = T::ALL.iter();
        all.filter(|setting| !T::SHOWN_SEPARATELY.contains(&setting.name))
    }

    /// Settings with their values, and the switches, as in responses.
    pub fn response_values(&self) -> Map<String, Value> {
        let all = Self::response_settings().map(|setting| setting.name);
        let mut shown: Map<String, Value> = all
            .map(|name| (name.to_owned(), self.value(name)))
            .collect();
        for (switch, level) in T::SWITCHES {
            shown.insert((*switch).to_owned(), self.is_on(level).into());
        }
        shown
    }

    /// Value of a setting; `null` for one that does not exist.
    pub fn value(&self, name: &str) -> Value {
        let default = || find::<T>(name).map_or(Value::Null, |setting| setting.default.to_json());
        self.values.get(name).cloned().unwrap_or_else(default)
    }

    /// True unless an access level is `disabled`.
    fn is_on(&self, level: &str) -> bool {
        self.value(level) != DISABLED
    }

    /// The settings without those that have their default value.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        self.values.retain(|name, value| {
            find::<T>(name).is_some_and(|setting| setting.default.to_json() != *value)
        });
        self
    }

    /// The settings as a JSON object, for the store.
    pub fn to_json(&self) -> String {
        let values = self.values.iter();
        let values: Map<String, Value> = values
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        Value::Object(values).to_string()
    }

    /// Parses stored settings.
    /// Settings unknown to this version of the server are dropped.
    pub fn from_json(text: &str) -> Option<Self> {
        let stored: Map<String, Value> = serde_json::from_str(text).ok()?;
        Some(Self::from_values(&stored))
    }

    /// Reads settings from external values, by name, alias and switch.
    /// Unknown names, and values that a setting does not accept, are dropped.
    pub fn from_values(given: &Map<String, Value>) -> Self {
        let levels = T::SWITCHES.iter().filter_map(|(switch, level)| {
            let is_on = given.get(*switch)?.as_bool()?;
            Some((*level, if is_on { ENABLED } else { DISABLED }.into()))
        });
        let own = T::ALL.iter().map(|setting| (setting.name, setting.name));
        let named = T::ALIASES.iter().copied().chain(own);
        let named = named.filter_map(|(given_as, name)| {
            let value = given.get(given_as)?;
            let is_value = find::<T>(name).is_some_and(|setting| setting.kind.accepts(value));
            is_value.then(|| (name, value.clone()))
        });
        let mut settings = Self::default();
        // A setting's own name comes last and takes precedence, because it is more specific than a switch.
        settings.values.extend(levels.chain(named));
        settings
    }

    /// All settings by name, including those with their default value.
    pub fn all_values(&self) -> Map<String, Value> {
        let all = T::ALL.iter().map(|setting| setting.name);
        all.map(|name| (name.to_owned(), self.value(name)))
            .collect()
    }
}

impl<T: SettingTable> FieldValue for SettingValues<T> {
    /// The parameters are named like the settings, so the name of the field is not used.
    fn read(reader: &mut ParamReader<'_>, _: &str) -> Option<Self> {
        let given = Self::read_given(reader);
        (!given.values.is_empty()).then_some(given)
    }

    fn replacing(self, before: Self) -> Self {
        let mut after = before;
        for (name, value) in self.values {
            let level = T::SWITCHES.iter().find(|(switch, _)| *switch == name);
            let Some((_, level)) = level else {
                after.values.insert(name, value);
                continue;
            };
            // A switch that is on already keeps its level.
            if value == Value::Bool(false) {
                after.values.insert(level, DISABLED.into());
            } else if !after.is_on(level) {
                after.values.insert(level, ENABLED.into());
            }
        }
        after
    }
}

impl ProjectSettings {
    /// True if merge requests are on.
    pub fn has_merge_requests(&self) -> bool {
        self.is_on("merge_requests_access_level")
    }

    /// Default branch, if one is set.
    pub fn default_branch(&self) -> Option<String> {
        let branch = self.value("default_branch");
        branch.as_str().map(str::to_owned)
    }
}

fn find<T: SettingTable>(name: &str) -> Option<&'static Setting> {
    T::ALL.iter().find(|setting| setting.name == name)
}

fn read_one(reader: &mut ParamReader<'_>, setting: &Setting, name: &str) -> Option<Value> {
    match setting.kind {
        SettingKind::Flag => reader.boolean(name).map(Value::from),
        SettingKind::Word(words) => {
            let word = reader.word(name, |text| words.contains(&text).then(|| text.to_owned()));
            word.map(Value::from)
        }
        SettingKind::Number(numbers) => {
            let number = reader.integer(name)?;
            if !numbers.contains(&number) {
                reader.fault(name, "does not have a valid value");
            }
            Some(number.into())
        }
        SettingKind::Within(min, max) => reader.integer_within(name, min..=max).map(Value::from),
        SettingKind::Text(max) => {
            if !reader.is_given(name) {
                return None;
            }
            let text = reader.text(name).unwrap_or_default();
            if text.chars().count() > max {
                reader.fault(name, &format!("is too long (maximum is {max} characters)"));
            }
            Some(if text.is_empty() {
                Value::Null
            } else {
                text.into()
            })
        }
    }
}

#[cfg(test)]
mod tests;
