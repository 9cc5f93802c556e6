//! Environments as rows of a page.

use ::pipelines::model::{Deployment, EnvironmentState};
use alert_intake::model::OpenAlertCounts;
use api_conventions::time::Timestamp;
use gatehouse_core::flows::environment_dashboard::EnvironmentOverview;
use url::form_urlencoded;

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::ListQuery;
use crate::frame::page::pill::Pill;

/// Open alerts of one severity, with the list that has them.
pub(super) struct SeverityCount {
    pub(super) pill: Pill,
    pub(super) count: String,
    pub(super) href: String,
}

/// Latest deployment of a row.
pub(super) struct DeploymentView {
    pub(super) status: Pill,
    pub(super) reference: DisplayName,
    pub(super) time: DisplayTime,
}

impl DeploymentView {
    /// Prepares a deployment.
    pub(super) fn new(deployment: &Deployment, now: Timestamp) -> Self {
        Self {
            status: deployment.status.into(),
            reference: DisplayName::of(&deployment.reference),
            time: DisplayTime::at(deployment.updated_at, now),
        }
    }
}

/// Row of the dashboard.
pub(super) struct EnvironmentRow {
    pub(super) name: DisplayName,
    pub(super) href: String,
    /// Tier; empty for a name that no CI system has registered.
    pub(super) tier: &'static str,
    pub(super) is_stopped: bool,
    /// Open alerts by severity, the most severe first; `None` if the visitor may not see alerts.
    pub(super) alerts: Option<Vec<SeverityCount>>,
    /// Number of open incidents; `None` if the visitor may not see alerts.
    pub(super) incidents: Option<usize>,
    /// Number of new errors, and the list that has them; `None` if the visitor may not see errors.
    pub(super) errors: Option<(i64, String)>,
    pub(super) deployment: Option<DeploymentView>,
}

impl EnvironmentRow {
    /// Prepares an environment of the project at `project`, a path below the root of the server.
    pub(super) fn new(overview: &EnvironmentOverview, project: &str, now: Timestamp) -> Self {
        let environment = overview.environment.as_ref();
        let alerts = overview.alerts.as_ref();
        Self {
            name: DisplayName::of(&overview.name),
            href: format!("{project}{}", path_of(overview)),
            tier: environment.map_or("", |environment| environment.tier.as_str()),
            is_stopped: environment
                .is_some_and(|environment| environment.state == EnvironmentState::Stopped),
            alerts: alerts.map(|counts| severities(counts, &overview.name, project)),
            incidents: overview.open_incidents,
            errors: overview
                .new_errors
                .map(|count| (count, errors_of(&overview.name, project))),
            deployment: (overview.last_deployment.as_ref())
                .map(|deployment| DeploymentView::new(deployment, now)),
        }
    }
}

/// Path of the page of an environment, after the path of its project.
pub(super) fn path_of(overview: &EnvironmentOverview) -> String {
    if let Some(environment) = &overview.environment {
        return format!("/-/environments/{}", environment.id);
    }
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("name", &overview.name)
        .finish();
    format!("/-/environments/named?{query}")
}

/// Address of the open alerts of an environment.
pub(super) fn alerts_of(name: &str, severity: &str, project: &str) -> String {
    let list = ListQuery::empty(&format!("{project}/-/alert_management"));
    list.with(&[("environment", name), ("severity", severity)])
}

/// Address of the unresolved errors of an environment that happened within a day.
pub(super) fn errors_of(name: &str, project: &str) -> String {
    let list = ListQuery::empty(&format!("{project}/-/error_tracking"));
    list.with(&[("environment", name), ("seen", "day")])
}

fn severities(counts: &OpenAlertCounts, name: &str, project: &str) -> Vec<SeverityCount> {
    let count = |(severity, count): (alert_intake::model::Severity, u16)| SeverityCount {
        pill: severity.into(),
        count: if count >= OpenAlertCounts::LIMIT {
            format!("{count}+")
        } else {
            count.to_string()
        },
        href: alerts_of(name, severity.as_str(), project),
    };
    counts.by_severity().map(count).collect()
}
