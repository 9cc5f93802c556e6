//! Reading, storing and showing of settings.

use api_conventions::params::Params;

use super::*;

fn change(json: &str) -> Result<Option<ProjectSettings>, String> {
    let params = Params::from_json(json.as_bytes()).unwrap();
    let mut reader = params.reader();
    let read = ProjectSettings::read(&mut reader, "settings");
    let finished = reader.finish();
    finished
        .map(|()| read)
        .map_err(|error| error.body()["error"].to_string())
}

fn changed(before: ProjectSettings, json: &str) -> ProjectSettings {
    let change = change(json).unwrap().unwrap();
    change.replacing(before).normalized()
}

fn sorted_and_sound<T: SettingTable>() {
    let names: Vec<&str> = T::ALL.iter().map(|setting| setting.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
    for setting in T::ALL {
        let default = setting.default.to_json();
        assert!(
            default.is_null() || setting.kind.accepts(&default),
            "{}",
            setting.name
        );
    }
    for (other, name) in T::SWITCHES.iter().chain(T::ALIASES) {
        assert!(names.contains(name) && !names.contains(other), "{other}");
    }
}

#[test]
fn the_tables_are_in_order_and_their_defaults_are_values() {
    sorted_and_sound::<ProjectSettingTable>();
    sorted_and_sound::<GroupSettingTable>();
}

#[test]
fn a_switch_and_its_access_level_agree() {
    let on = changed(ProjectSettings::default(), r#"{"wiki_enabled": true}"#);
    assert_eq!(on.value("wiki_access_level"), "enabled");
    let private = changed(on, r#"{"wiki_access_level": "private"}"#);
    assert_eq!(private.response_values()["wiki_enabled"], true);
    let still = changed(private, r#"{"wiki_enabled": "yes"}"#);
    assert_eq!(still.value("wiki_access_level"), "private");
    let off = changed(still, r#"{"wiki_enabled": false}"#);
    assert_eq!(off, ProjectSettings::default());
    assert_eq!(off.response_values()["wiki_access_level"], "disabled");
}

#[test]
fn contradictions_are_refused() {
    for (json, text) in [
        (
            r#"{"wiki_enabled": true, "wiki_access_level": "disabled"}"#,
            "\"wiki_enabled contradicts wiki_access_level: leave one of them out\"",
        ),
        (
            r#"{"public_builds": true, "public_jobs": false}"#,
            "\"public_builds contradicts public_jobs: leave one of them out\"",
        ),
    ] {
        assert_eq!(change(json), Err(text.to_owned()));
    }
    let both = r#"{"wiki_enabled": true, "wiki_access_level": "private", "public_builds": true, "public_jobs": true}"#;
    let both = changed(ProjectSettings::default(), both);
    assert_eq!(both.value("wiki_access_level"), "private");
    assert_eq!(both.value("public_jobs"), true);
}

#[test]
fn only_values_that_differ_from_the_defaults_are_stored() {
    let json = r#"{"merge_method": "ff", "squash_option": "default_off", "build_timeout": "3600", "default_branch": "main"}"#;
    let settings = changed(ProjectSettings::default(), json);
    let stored = r#"{"default_branch":"main","merge_method":"ff"}"#;
    assert_eq!(settings.to_json(), stored);
    assert_eq!(ProjectSettings::from_json(stored), Some(settings.clone()));
    let cleared = changed(
        settings,
        r#"{"merge_method": "merge", "default_branch": ""}"#,
    );
    assert_eq!(cleared.to_json(), "{}");
    assert_eq!(change("{}"), Ok(None));
}

/// A newer or an older version of the server may have stored these settings.
#[test]
fn unknown_settings_of_the_store_are_left_out() {
    let stored = r#"{"merge_method":"octopus","teleport":true,"squash_option":"never"}"#;
    let read = ProjectSettings::from_json(stored).unwrap();
    assert_eq!(read.to_json(), r#"{"squash_option":"never"}"#);
    assert_eq!(ProjectSettings::from_json("[]"), None);
}

#[test]
fn canonical_setting_names_take_precedence_over_aliases() {
    let read = |json: &str| ProjectSettings::from_json(json).unwrap().to_json();
    assert_eq!(
        read(r#"{"wiki_enabled":true,"public_builds":true,"jobs_enabled":"on"}"#),
        r#"{"public_jobs":true,"wiki_access_level":"enabled"}"#
    );
    assert_eq!(
        read(
            r#"{"wiki_access_level":"private","wiki_enabled":false,"public_jobs":false,"public_builds":true,"default_branch":""}"#
        ),
        r#"{"public_jobs":false,"wiki_access_level":"private"}"#
    );
}
