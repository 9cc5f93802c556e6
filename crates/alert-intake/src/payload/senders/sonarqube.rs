//! Analyses of projects by Sonar, with the state of their quality gate.

use serde_json::Value;

use super::{SenderAlert, SenderBody, noted};
use crate::model::{Severity, SeverityTable};
use crate::payload::fields::{has, owned, text, time};
use crate::rules::state::ReportedState;

const TOOL: &str = "SonarQube";

/// Recognises an analysis. Its own status says only that the task ran, so the gate's counts.
pub(super) fn read(body: &Value, _: &SeverityTable) -> Option<SenderBody> {
    if !has(body, &["qualityGate", "project", "taskId"]) {
        return None;
    }
    let (gate, project) = (body.get("qualityGate")?, body.get("project")?);
    let state = match text(gate, &["status"]).as_deref() {
        Some("ERROR") => ReportedState::Firing,
        Some("OK") => ReportedState::Over,
        other => {
            let status = other.unwrap_or("missing");
            return Some(noted(TOOL, &format!("gate {status}")));
        }
    };
    let branch = body.get("branch").unwrap_or(&Value::Null);
    let (name, branch) = (owned(project, &["name", "key"]), owned(branch, &["name"]));
    let alert = SenderAlert {
        tool: TOOL,
        title: format!("Quality gate failed: {name} {branch}")
            .trim_end()
            .to_owned(),
        description: owned(project, &["url"]),
        severity: Some(Severity::Medium),
        key: vec![owned(project, &["key"]), branch],
        service: name,
        ..SenderAlert::default()
    };
    Some(alert.dated(state, time(body, &["analysedAt"])).into_body())
}
