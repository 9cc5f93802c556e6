//! Parameters of runners, and their parsing.

use ::pipelines::flow::RunnerEdit;
use ::pipelines::model::{RunnerAccess, RunnerInfo};
use api_conventions::error::ApiError;
use api_conventions::params::{ParamReader, Params};
use web_conventions::operations::{Parameter, ParameterKind};

/// Tag of the operations.
pub(super) const TAG: &str = "runners";

/// Shortest value of the longest run time, in seconds.
const MIN_TIMEOUT: i64 = 600;

const FLAG: ParameterKind = ParameterKind::Boolean;
const TEXT: ParameterKind = ParameterKind::Text { min: 0, max: 1024 };
const FACT: ParameterKind = ParameterKind::Text { min: 0, max: 255 };

/// Authentication token of the runner that calls.
pub(super) const TOKEN: Parameter = Parameter::body(
    "token",
    ParameterKind::Text { min: 1, max: 255 },
    "Authentication token of the runner.",
)
.example("ghrt_abc")
.required();

/// Settings of a runner.
pub(super) const fn settings() -> [Parameter; 9] {
    [
        Parameter::body("description", TEXT, "Description."),
        Parameter::body(
            "maintenance_note",
            TEXT,
            "Note for those who maintain the runner.",
        ),
        Parameter::body(
            "paused",
            FLAG,
            "True to give the runner no jobs (default: false).",
        ),
        Parameter::body(
            "active",
            FLAG,
            "Opposite of `paused`, which takes precedence.",
        ),
        Parameter::body(
            "locked",
            FLAG,
            "True to keep the runner from being assigned to further projects (default: false).",
        ),
        Parameter::body(
            "run_untagged",
            FLAG,
            "True to accept jobs without tags (default: true).",
        ),
        Parameter::body(
            "tag_list",
            ParameterKind::Texts,
            "Tags, as an array or separated by commas.",
        ),
        Parameter::body(
            "access_level",
            ParameterKind::Word(RunnerAccess::NAMES),
            "Branches and tags whose jobs the runner accepts: all (default), or only protected ones.",
        ),
        Parameter::body(
            "maximum_timeout",
            ParameterKind::Integer {
                min: MIN_TIMEOUT,
                max: i32::MAX as i64,
            },
            "Longest run time of a job, in seconds. Send an empty value to clear it.",
        ),
    ]
}

/// Facts that the program of a runner reports about itself. The others are accepted and ignored.
pub(super) const fn facts() -> [Parameter; 10] {
    const IGNORED: &str = "Accepted and ignored: this server executes no jobs.";
    [
        Parameter::body("info[name]", FACT, "Name of the program."),
        Parameter::body("info[version]", FACT, "Version of the program."),
        Parameter::body("info[revision]", FACT, "Revision of its source."),
        Parameter::body("info[platform]", FACT, "Operating system."),
        Parameter::body("info[architecture]", FACT, "Architecture of the processor."),
        Parameter::body("info[executor]", FACT, IGNORED),
        Parameter::body("info[shell]", FACT, IGNORED),
        Parameter::body("info[features]", ParameterKind::ANY_TEXT, IGNORED),
        Parameter::body("info[config]", ParameterKind::ANY_TEXT, IGNORED),
        Parameter::body("info[labels]", ParameterKind::ANY_TEXT, IGNORED),
    ]
}

/// Parses the settings. An absent one is `None`.
///
/// # Errors
/// 400 for invalid values.
pub(super) fn read_settings(params: &Params) -> Result<RunnerEdit, ApiError> {
    let mut read = params.reader();
    let active = read.boolean("active").map(|active| !active);
    let seconds = read.clearable_integer("maximum_timeout", MIN_TIMEOUT..=i64::from(i32::MAX));
    let edit = RunnerEdit {
        description: read.text("description"),
        maintenance_note: read.text("maintenance_note"),
        paused: read.boolean("paused").or(active),
        locked: read.boolean("locked"),
        run_untagged: read.boolean("run_untagged"),
        access_level: read.word("access_level", RunnerAccess::parse),
        maximum_timeout: seconds.map(|seconds| seconds.and_then(|it| i32::try_from(it).ok())),
        tags: read_tags(&mut read),
    };
    read.finish()?;
    Ok(edit)
}

/// Parses the tags; `None` if they are absent.
pub(super) fn read_tags(read: &mut ParamReader<'_>) -> Option<Vec<String>> {
    let is_given = read.is_given("tag_list");
    let texts = read.texts("tag_list");
    let tags = texts.iter().flat_map(|text| text.split(','));
    let tags = tags.map(|tag| tag.trim().to_owned());
    is_given.then(|| tags.filter(|tag| !tag.is_empty()).collect())
}

/// Parses the reported facts.
///
/// # Errors
/// 400 for invalid values.
pub(super) fn read_facts(params: &Params) -> Result<RunnerInfo, ApiError> {
    let nested = params.nested("info")?.unwrap_or_default();
    let mut read = nested.reader();
    let mut fact = |name| read.text(name).as_deref().and_then(RunnerInfo::value);
    let info = RunnerInfo {
        name: fact("name"),
        version: fact("version"),
        revision: fact("revision"),
        platform: fact("platform"),
        architecture: fact("architecture"),
    };
    read.finish()?;
    Ok(info)
}
