//! Parameters of operations on project hooks.

use api_conventions::error::ApiError;
use api_conventions::params::{ParamReader, Params};
use gatehouse_core::flows::channels::ChannelValues;
use gatehouse_core::flows::hooks::HookTrigger;
use notifications::flow::ChannelInput;
use serde_json::Value;
use web_conventions::operations::{Parameter, ParameterKind};

use super::hooks::TRIGGER;

pub(super) const URL: Parameter = Parameter::body(
    "url",
    ParameterKind::Text { min: 1, max: 2048 },
    "URL of the receiver. With another URL, a hook loses its token unless a new one is given.",
)
.example("https://ci.example.com/hook");

const NAME: Parameter = Parameter::body(
    "name",
    ParameterKind::Text { min: 0, max: 255 },
    "Name of the hook, unique among the channels of the project (default: the host of the URL).",
);

const DESCRIPTION: Parameter = Parameter::body(
    "description",
    ParameterKind::Text { min: 0, max: 1000 },
    "Description of the hook.",
);

const TOKEN: Parameter = Parameter::body(
    "token",
    ParameterKind::Text { min: 0, max: 2048 },
    "Secret of ASCII characters that each request has in the header `X-Gitlab-Token`. It is stored encrypted and not shown \
     again. Empty for none.",
);

const ISSUES: Parameter = Parameter::body(
    "issues_events",
    ParameterKind::Boolean,
    "True to report issues that are not confidential (default: false).",
);

const CONFIDENTIAL_ISSUES: Parameter = Parameter::body(
    "confidential_issues_events",
    ParameterKind::Boolean,
    "True to report confidential issues (default: false).",
);

const NOTES: Parameter = Parameter::body(
    "note_events",
    ParameterKind::Boolean,
    "True to report comments on issues, except confidential ones (default: false).",
);

const CONFIDENTIAL_NOTES: Parameter = Parameter::body(
    "confidential_note_events",
    ParameterKind::Boolean,
    "True to report internal comments and comments on confidential issues (default: false).",
);

const ALERTS: Parameter = Parameter::body(
    "alert_events",
    ParameterKind::Boolean,
    "True to report alerts (default: false).",
);

const VERIFICATION: Parameter = Parameter::body(
    "enable_ssl_verification",
    ParameterKind::True,
    "Only `true` is accepted: certificates are always verified.",
);

/// Settings that clients send with their default value. Others are refused: they would have no effect.
const FIXED: [(&str, &[&str]); 3] = [
    ("push_events_branch_filter", &[""]),
    ("branch_filter_strategy", &["wildcard"]),
    ("custom_webhook_template", &[""]),
];

/// Lists that must be empty.
const EMPTY: [&str; 2] = ["custom_headers", "url_variables"];

/// Events that this server does not have.
const NO_EVENTS: [&str; 15] = [
    "push_events",
    "tag_push_events",
    "merge_requests_events",
    "repository_update_events",
    "job_events",
    "pipeline_events",
    "wiki_page_events",
    "deployment_events",
    "releases_events",
    "feature_flag_events",
    "milestone_events",
    "emoji_events",
    "resource_access_token_events",
    "resource_deploy_token_events",
    "vulnerability_events",
];

/// Returns the parameters that both creation and updates take, besides the URL.
pub(super) fn parameters() -> Vec<Parameter> {
    let mut all = vec![
        NAME,
        DESCRIPTION,
        TOKEN,
        ISSUES,
        CONFIDENTIAL_ISSUES,
        NOTES,
        CONFIDENTIAL_NOTES,
        ALERTS,
        VERIFICATION,
    ];
    all.extend(FIXED.map(|(name, values)| {
        let about = "Only the default is accepted.";
        Parameter::body(name, ParameterKind::Word(values), about)
    }));
    all.extend(EMPTY.map(|name| {
        let kind = ParameterKind::Objects(&["key", "value"]);
        Parameter::body(name, kind, "Only an empty list is accepted.")
    }));
    all.extend(NO_EVENTS.map(|name| {
        let about = "Only `false` is accepted: hooks report no such events.";
        Parameter::body(name, ParameterKind::False, about)
    }));
    all
}

/// Parses the values of a new hook.
///
/// # Errors
/// 400 for a missing or invalid value.
pub(super) fn read_new(params: &Params) -> Result<ChannelValues, ApiError> {
    let mut read = params.reader();
    read.demand(&[URL.name]);
    read.finish()?;
    read_values(params)
}

/// Parses the values of an update.
///
/// # Errors
/// 400 for an invalid value, or if there is none.
pub(super) fn read_update(params: &Params) -> Result<ChannelValues, ApiError> {
    let mut names = vec![URL.name];
    names.extend(parameters().iter().map(|parameter| parameter.name));
    let mut read = params.reader();
    read.demand_one_of(&names);
    read.finish()?;
    read_values(params)
}

/// Parses the event that a test reports.
///
/// # Errors
/// 400 for another word.
pub(super) fn parse_trigger(word: &str) -> Result<HookTrigger, ApiError> {
    HookTrigger::parse(word).ok_or_else(|| {
        let words = HookTrigger::NAMES.join(", ");
        ApiError::invalid_parameters(&[format!("{} must be one of: {words}", TRIGGER.name)])
    })
}

fn read_values(params: &Params) -> Result<ChannelValues, ApiError> {
    let mut read = params.reader();
    refuse_unsupported(params, &mut read);
    let values = ChannelValues {
        input: ChannelInput {
            name: read.text(NAME.name).filter(|name| !name.is_empty()),
            url: read.text(URL.name),
            description: read.text(DESCRIPTION.name),
            alert_events: read.boolean(ALERTS.name),
            issue_events: read.boolean(ISSUES.name),
            confidential_issue_events: read.boolean(CONFIDENTIAL_ISSUES.name),
            note_events: read.boolean(NOTES.name),
            confidential_note_events: read.boolean(CONFIDENTIAL_NOTES.name),
            ..ChannelInput::default()
        },
        token: read.text(TOKEN.name),
    };
    read.finish()?;
    Ok(values)
}

/// Adds faults for values that would have no effect.
fn refuse_unsupported(params: &Params, read: &mut ParamReader<'_>) {
    for name in NO_EVENTS {
        if read.boolean(name) == Some(true) {
            read.fault(name, "must be false: hooks report no such events");
        }
    }
    if read.boolean(VERIFICATION.name) == Some(false) {
        read.fault(
            VERIFICATION.name,
            "must be true: certificates are always verified",
        );
    }
    for (name, values) in FIXED {
        let text = read.text(name);
        if text.is_some_and(|text| !values.contains(&text.as_str())) {
            read.fault(name, "is not supported: leave it out");
        }
    }
    for name in EMPTY {
        let is_empty = match params.get(name) {
            None | Some(Value::Null) => true,
            Some(Value::Array(items)) => items.is_empty(),
            Some(Value::Object(fields)) => fields.is_empty(),
            Some(Value::String(text)) => text.is_empty(),
            Some(_) => false,
        };
        if !is_empty {
            read.fault(name, "is not supported: leave it out");
        }
    }
}
