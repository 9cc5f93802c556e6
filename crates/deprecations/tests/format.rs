//! The file format of records: the message of each fault, and the values of a valid file.

use api_conventions::release::Release;
use deprecations::format::parse;
use deprecations::{Effect, Enforcement, Life, Milestone, Schedule, Site};
use serde_json::{Value, json};

const LAMPS: &str = r#"
title = "Lamps: `colour` is now `color`"
area = "Lamps"
kind = "field"
announced = "15.9"
removal = "16.0"
breaking = true
replacement = "`color`"
enforcement = "enforced"
edited = "2026-11-24"
body = "Read `color`."
touches = [{ endpoints = ["GET /api/v4/lamps"], field = "colour" }]
"#;

const FIELD: &str = r#"endpoints = ["GET /api/v4/lamps"], field = "colour""#;

/// Returns the messages for the file of lamps with a part of it replaced.
fn errors_in(part: &str, other: &str) -> String {
    let text = LAMPS.replacen(part, other, 1);
    assert_ne!(text, LAMPS, "{part}");
    let faults = parse("15-9-lamps", &text).err().unwrap_or_default();
    let lines = faults.iter().map(ToString::to_string);
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the messages for the file of lamps with this touch.
fn errors_in_touch(touch: &str) -> String {
    errors_in(FIELD, touch)
}

fn assert_error(cases: &[(&str, &str, &str)]) {
    for (part, other, expected) in cases {
        let errors_in = errors_in(part, other);
        assert!(errors_in.contains(expected), "{other}: {errors_in}");
        assert!(errors_in.starts_with("15-9-lamps: "), "{errors_in}");
    }
}

fn assert_touch_errors(cases: &[(&str, &str)]) {
    for (touch, expected) in cases {
        let errors_in =
            errors_in_touch(&touch.replace("AT", r#"endpoints = ["GET /api/v4/lamps"]"#));
        assert!(errors_in.contains(expected), "{touch}: {errors_in}");
    }
}

#[test]
fn a_valid_file_is_accepted() {
    let record = parse("15-9-lamps", LAMPS).unwrap();
    assert_eq!(record.id, "15-9-lamps");
    assert_eq!(record.title, "Lamps: `colour` is now `color`");
    assert_eq!(
        record.removal(),
        Some(Milestone::Release("16.0".parse().unwrap()))
    );
    assert_eq!(record.announced_on().unwrap().to_string(), "2023-02-22");
    assert_eq!(record.edited.to_string(), "2026-11-24");
    assert_eq!(record.touches.len(), 1);
    assert_eq!(record.touches[0].effect, Effect::Gone);
}

#[test]
fn unquoted_milestones_are_rejected_with_a_quoted_example() {
    for (part, other) in [
        (r#"announced = "15.9""#, "announced = 15.9"),
        (r#"announced = "15.9""#, "announced = 15.10"),
        (r#"removal = "16.0""#, "removal = 16.0"),
        (r#"removal = "16.0""#, "removal = 16"),
        (
            r#"removal = "16.0""#,
            "removal = \"16.0\"\nend_of_support = 15.11",
        ),
    ] {
        let errors_in = errors_in(part, other);
        assert!(
            errors_in.contains("a quoted string such as \"15.10\""),
            "{other}: {errors_in}"
        );
    }
    let introduced = errors_in(
        "announced = \"15.9\"\nremoval = \"16.0\"",
        "introduced = 15.10",
    );
    assert!(
        introduced.contains("a quoted string such as \"15.10\""),
        "{introduced}"
    );
    let edited = errors_in("\"2026-11-24\"", "2026-11-24");
    assert!(
        edited.contains("a quoted string such as \"2023-05-22\""),
        "{edited}"
    );
}

#[test]
fn key_errors_describe_the_expected_input() {
    const LINE: &str = "must be one line of 1 to 200 characters";
    let long = format!("title = \"{}\"", "x".repeat(201));
    let title = "title = \"Lamps: `colour` is now `color`\"";
    assert_error(&[
        (
            "title",
            "titel",
            "unknown field `titel`, expected one of `title`",
        ),
        ("area = \"Lamps\"\n", "", "missing field `area`"),
        (title, "title = \" \"", LINE),
        (title, &long, LINE),
        ("area = \"Lamps\"", "area = \"a\\nb\"", LINE),
        (
            "\"field\"",
            "\"thing\"",
            "expected one of `field`, `endpoint`, `parameter`",
        ),
        ("true", "\"yes\"", "expected a boolean"),
        (
            "\"`color`\"",
            "\"\"",
            "`replacement` must be one line of 1 to 200 characters",
        ),
        (
            "\"Read `color`.\"",
            "\"\"",
            "`body` must say what clients have to do",
        ),
        (
            "\"enforced\"",
            "\"done\"",
            "expected `enforced` or `announced`",
        ),
        (
            "\"enforced\"",
            "\"announced\"",
            "`announced` needs a `reason`",
        ),
        ("\"enforced\"", "\"announced\"\nreason = \"\"", LINE),
        (
            "\"enforced\"",
            "\"enforced\"\nreason = \"It is.\"",
            "`reason` is allowed only with `announced`",
        ),
        (
            "touches = [{",
            "touches = [] #",
            "`touches` must list what the record affects",
        ),
    ]);
}

#[test]
fn date_errors_describe_the_expected_input() {
    const MILESTONE: &str = "write a release such as 16.0, an API version such as v5, or";
    const EITHER: &str = "set either `introduced`, or both `announced` and `removal`";
    const SUPPORT: &str = "`end_of_support` must be between `announced` and `removal`";
    let both = "announced = \"15.9\"\nremoval = \"16.0\"";
    assert_error(&[
        (
            "\"15.9\"",
            "\"15\"",
            "write two numbers separated by a dot, such as 15.10",
        ),
        ("\"15.9\"", "\"15.12\"", "15.12 is not a known release"),
        ("\"15.9\"", "\"11.9\"", "11.9 is not a known release"),
        ("\"16.0\"", "\"soon\"", MILESTONE),
        ("\"16.0\"", "\"v4\"", MILESTONE),
        ("\"16.0\"", "\"16.12\"", "16.12 is not a known release"),
        (
            "\"16.0\"",
            "\"15.9\"",
            "`removal` must be later than `announced`",
        ),
        (
            "\"16.0\"",
            "\"15.0\"",
            "`removal` must be later than `announced`",
        ),
        (
            "\"16.0\"",
            "\"16.1\"",
            "only a major release such as 16.0 may break clients",
        ),
        ("removal = \"16.0\"\n", "", EITHER),
        ("announced = \"15.9\"\n", "", EITHER),
        ("removal", "introduced = \"15.9\"\nremoval", EITHER),
        (
            both,
            "introduced = \"15.9\"\nend_of_support = \"16.0\"",
            EITHER,
        ),
        (
            both,
            "introduced = \"15.9\"",
            "an introduction cannot be `breaking`",
        ),
        ("removal", "end_of_support = \"15.9\"\nremoval", SUPPORT),
        ("removal", "end_of_support = \"16.1\"\nremoval", SUPPORT),
        (
            "\"2026-11-24\"",
            "\"24.11.2026\"",
            "is not a date; write it as 2023-05-22",
        ),
        (
            "\"2026-11-24\"",
            "\"2026-02-30\"",
            "is not a date; write it as 2023-05-22",
        ),
    ]);
}

/// In the cases, `AT` is replaced by an operation.
#[test]
fn touch_errors_describe_the_expected_input() {
    const PLACES: &str =
        "must have either `endpoints`, or one of `graphql`, `pages` and `behaviour`";
    const PAGES: &str = "`pages` must list path segments that follow `/-/`, such as `issues`";
    assert_touch_errors(&[
        ("", PLACES),
        ("field = \"colour\"", PLACES),
        ("pages = [\"lamps\"], field = \"colour\"", PLACES),
        ("pages = [\"lamps\"], null = true", PLACES),
        ("behaviour = \"lamps\", graphql = \"Lamp\"", PLACES),
        ("AT, behaviour = \"lamps\"", PLACES),
        (
            "AT, sort = 1",
            "unknown field `sort`, expected one of `endpoints`",
        ),
        (
            "endpoints = [\"get /lamps\"]",
            "write a method and an absolute path, such as",
        ),
        (
            "AT, parameter = \"a\", field = \"b\"",
            "set `parameter` or `field`, not both",
        ),
        (
            "AT, parameter = \"a\", value = 1, null = true",
            "set `value` or `null`, not both",
        ),
        ("AT, value = 1", "`value` requires `parameter` or `field`"),
        ("AT, parameter = \"\"", "`parameter` must not be empty"),
        (
            "AT, field = \"a..b\"",
            "`field` must be names separated by dots",
        ),
        (
            "graphql = \"a b\"",
            "`graphql` must be a name in the schema, such as `Note.confidential`",
        ),
        ("pages = []", PAGES),
        ("pages = [\"a/b\"]", PAGES),
        (
            "behaviour = \"Off and on\"",
            "`behaviour` must consist of lowercase letters, digits and dashes",
        ),
    ]);
}

#[test]
fn effect_errors_describe_the_expected_input() {
    assert_touch_errors(&[
        (
            "AT, effect = \"gon\"",
            "expected one of `gone`, `stands_for`, `sets`, `at_most`",
        ),
        (
            "AT, effect = \"empty\"",
            "`effect` of an operation must be one of gone",
        ),
        (
            "AT, parameter = \"a\", effect = \"empty\"",
            "`effect` of a parameter must be one of gone, sets, at_most, at_least, needs",
        ),
        (
            "AT, parameter = \"a\", effect = { stands_for = 1 }",
            "`effect` of a parameter must be one of gone, sets",
        ),
        (
            "AT, parameter = \"a\", value = 1, effect = { at_most = 1 }",
            "`effect` of a value of a parameter must be one of gone, stands_for, needs",
        ),
        (
            "AT, field = \"a\", effect = { at_most = 1 }",
            "`effect` of a field must be one of gone, empty",
        ),
        (
            "AT, field = \"a\", value = 1, effect = \"empty\"",
            "`effect` of a value of a field must be one of gone",
        ),
        (
            "behaviour = \"a\", effect = \"empty\"",
            "`effect` of a behaviour must be one of gone",
        ),
        (
            "graphql = \"A.b\", effect = \"empty\"",
            "`effect` of a GraphQL name must be one of gone",
        ),
        (
            "pages = [\"a\"], effect = \"empty\"",
            "`effect` of pages must be one of gone",
        ),
        (
            "AT, parameter = \"a\", effect = { sets = [] }",
            "`sets` must name the parameters that replace it",
        ),
        (
            "AT, parameter = \"a\", effect = { needs = { message = \"no\" } }",
            "`needs` must name the required parameters in `with` or `one_of`",
        ),
        (
            "AT, parameter = \"a\", effect = { needs = { one_of = [\"b\"] } }",
            "missing field `message`",
        ),
        (
            "AT, parameter = \"a\", effect = { needs = { one_of = [\"b\"], message = \"\" } }",
            "`message` must be one line of 1 to 200 characters",
        ),
    ]);
}

#[test]
fn an_introduction_allows_only_the_removal_effect() {
    let text = LAMPS
        .replace(
            "announced = \"15.9\"\nremoval = \"16.0\"\nbreaking = true",
            "introduced = \"15.9\"",
        )
        .replace("\"colour\" }", "\"colour\", effect = \"empty\" }");
    let faults = parse("15-9-lamps", &text).unwrap_err();
    assert_eq!(faults[0].problem, "`effect` of a field must be one of gone");
    let taken = parse("15-9-lamps", &text.replace("\"empty\"", "\"gone\"")).unwrap();
    assert_eq!(taken.life, Life::Introduced("15.9".parse().unwrap()));
    assert!(!taken.breaking);
}

#[test]
fn all_errors_of_all_files_are_reported_at_once() {
    let blank = LAMPS
        .replace("\"Read `color`.\"", "\"\"")
        .replace("area = \"Lamps\"", "area = \"\"");
    let files = [
        ("15-9-Lamps", LAMPS),
        ("15-9-lamps", LAMPS),
        ("b", &blank),
        ("c", "title = 1"),
    ];
    let faults = Schedule::parse(files).unwrap_err();
    let of = |file: &str| faults.iter().filter(|fault| fault.file == file).count();
    assert_eq!(
        [of("15-9-Lamps"), of("15-9-lamps"), of("b"), of("c")],
        [1, 0, 2, 1]
    );
    assert_eq!(
        faults[0].problem,
        "the file name must consist of lowercase letters, digits and dashes"
    );

    let twice = Schedule::parse([("lamps", LAMPS), ("lamps", LAMPS)]).unwrap_err();
    assert_eq!(twice.len(), 1);
    assert_eq!(twice[0].to_string(), "lamps: another record has this id");
}

#[test]
fn announced_only_changes_may_break_in_any_release() {
    let text = LAMPS.replace("\"16.0\"", "\"16.6\"").replace(
        "\"enforced\"",
        "\"announced\"\nreason = \"There are no lamps.\"",
    );
    let record = parse("15-9-lamps", &text).unwrap();
    assert_eq!(
        record.enforcement,
        Enforcement::Announced("There are no lamps.".to_owned())
    );
    let harmless = LAMPS
        .replace("\"16.0\"", "\"16.6\"")
        .replace("breaking = true\n", "");
    assert!(!parse("15-9-lamps", &harmless).unwrap().breaking);
}

#[test]
fn a_touch_counts_for_each_of_its_endpoints() {
    let touch = r#"endpoints = ["GET /lamps", "PUT /lamps/:id"], parameter = "colour", null = true, effect = { stands_for = "red" }"#;
    let record = parse("15-9-lamps", &LAMPS.replace(FIELD, touch)).unwrap();
    let endpoints: Vec<String> = record
        .touches
        .iter()
        .map(|touch| {
            assert_eq!(touch.effect, Effect::StandsFor(json!("red")));
            let Site::Parameter {
                endpoint,
                name,
                value,
            } = &touch.site
            else {
                panic!("{touch:?}");
            };
            assert_eq!((name.as_str(), value), ("colour", &Some(Value::Null)));
            endpoint.to_string()
        })
        .collect();
    assert_eq!(endpoints, ["GET /lamps", "PUT /lamps/:id"]);
}

/// A product with its own release dates.
#[test]
fn a_host_gives_the_days_of_its_releases() {
    let day = |text: &str| text.parse::<chrono::NaiveDate>().unwrap();
    let releases = std::collections::BTreeMap::from([
        (Release(1, 4), day("2026-03-02")),
        (Release(2, 0), day("2026-09-14")),
    ]);
    let text = LAMPS
        .replace("\"15.9\"", "\"1.4\"")
        .replace("\"16.0\"", "\"2.0\"");
    let schedule = Schedule::parse_with([("lamps", text.as_str())], releases.clone()).unwrap();
    let record = schedule.find("lamps").unwrap();
    assert_eq!(record.announced_on(), Some(day("2026-03-02")));
    assert_eq!(record.removed_on(), Some(day("2026-09-14")));
    assert_eq!(schedule.day_of(Release(2, 0)), Some(day("2026-09-14")));
    assert_eq!(schedule.day_of(Release(16, 0)), None);

    let late = text.replace("\"2.0\"", "\"3.0\"");
    let faults = Schedule::parse_with([("lamps", late.as_str())], releases).unwrap_err();
    assert_eq!(faults[0].problem, "3.0 is not a known release");
}
