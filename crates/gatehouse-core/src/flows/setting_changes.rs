//! Changed settings of projects and groups, as the audit log shows them.

use projects::model::{SettingTable, SettingValues};
use serde_json::Value;

/// A setting with its values before and after a change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChangedSetting {
    pub(super) name: &'static str,
    pub(super) from: String,
    pub(super) to: String,
}

/// Lists the settings whose values differ, in the order of their names.
pub(super) fn changed_settings<T: SettingTable>(
    before: &SettingValues<T>,
    after: &SettingValues<T>,
) -> Vec<ChangedSetting> {
    let all = T::ALL.iter().map(|setting| ChangedSetting {
        name: setting.name,
        from: text_of(before.value(setting.name)),
        to: text_of(after.value(setting.name)),
    });
    all.filter(|setting| setting.from != setting.to).collect()
}

/// Returns the text of a value; empty for none.
fn text_of(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use projects::ProjectSettings;

    use super::*;

    #[test]
    fn only_settings_with_another_value_have_changed() {
        let before = r#"{"public_jobs":true,"build_timeout":600}"#;
        let before = ProjectSettings::from_json(before).unwrap();
        let after =
            r#"{"default_branch":"main","snippets_access_level":"private","build_timeout":600}"#;
        let after = ProjectSettings::from_json(after).unwrap();
        let changed = |name, from: &str, to: &str| ChangedSetting {
            name,
            from: from.to_owned(),
            to: to.to_owned(),
        };
        assert_eq!(
            changed_settings(&before, &after),
            [
                changed("default_branch", "", "main"),
                changed("public_jobs", "true", "false"),
                changed("snippets_access_level", "enabled", "private"),
            ]
        );
    }
}
