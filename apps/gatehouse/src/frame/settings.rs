//! Settings of projects and groups as parameters of operations.

use projects::model::{Setting, SettingKind, SettingTable};
use web_conventions::operations::{Parameter, ParameterKind};

/// Parameters for the settings of a kind of place, with their switches and aliases.
pub fn setting_parameters<T: SettingTable>() -> Vec<Parameter> {
    let mut all: Vec<Parameter> = T::ALL.iter().map(parameter).collect();
    for (switch, _) in T::SWITCHES {
        let about = "Boolean form of the access level: `false` means `disabled`.";
        all.push(Parameter::body(switch, ParameterKind::Boolean, about));
    }
    for (alias, name) in T::ALIASES {
        let setting = T::ALL.iter().find(|setting| setting.name == *name);
        all.extend(setting.map(|setting| Parameter {
            name: alias,
            ..parameter(setting)
        }));
    }
    all
}

fn parameter(setting: &Setting) -> Parameter {
    let kind = match setting.kind {
        SettingKind::Flag => ParameterKind::Boolean,
        SettingKind::Word(words) => ParameterKind::Word(words),
        SettingKind::Number(numbers) => ParameterKind::Number(numbers),
        SettingKind::Within(min, max) => ParameterKind::Integer { min, max },
        SettingKind::Text(max) => ParameterKind::Text {
            min: 0,
            max: u32::try_from(max).unwrap_or(u32::MAX),
        },
    };
    Parameter::body(setting.name, kind, setting.about)
}
