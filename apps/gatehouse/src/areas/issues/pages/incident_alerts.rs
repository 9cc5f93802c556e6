//! Alerts of an incident on its page, and the timeline of both.

use alert_intake::model::AlertSummary;
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use gatehouse_core::flows::notes::on_issue;
use projects::{Issue, IssueKind, NoteActivity, NoteFilter};
use storage::StoreError;

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::count;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::ProjectContext;
use crate::frame::page::timeline::seen_notes;
use crate::frame::scopes::Developer;

/// Number of alerts that the page lists. The API lists all of them.
const ALERTS: u64 = 50;
/// Number of changes that the timeline considers.
const CHANGES: u64 = 100;
/// Texts of the system notes about the state of an incident.
const STATES: [(&str, &str); 2] = [
    ("closed", "Incident closed"),
    ("reopened", "Incident reopened"),
];

/// Row of the alerts.
pub(super) struct IncidentAlertRow {
    pub(super) severity: Pill,
    pub(super) status: Pill,
    pub(super) title: DisplayName,
    pub(super) path: String,
    pub(super) started: DisplayTime,
    pub(super) ended: Option<DisplayTime>,
}

/// Entry of the timeline.
pub(super) struct IncidentMoment {
    pub(super) time: DisplayTime,
    pub(super) text: &'static str,
    pub(super) alert: Option<(DisplayName, String)>,
}

/// Alerts of an incident as its page shows them.
pub(super) struct IncidentAlerts {
    pub(super) total: String,
    pub(super) rows: Vec<IncidentAlertRow>,
    pub(super) has_more: bool,
    pub(super) timeline: Vec<IncidentMoment>,
}

/// Alerts of an incident, and the times at which its state changed.
pub(super) struct LoadedAlerts {
    alerts: Page<AlertSummary>,
    changes: Vec<(Timestamp, &'static str)>,
}

impl LoadedAlerts {
    /// Reads the alerts of an issue, for a viewer who may see alerts; `None` if the page shows none.
    pub(super) fn read(
        tx: &mut dyn ReadTransaction,
        issue: &Issue,
        found: &ProjectContext,
    ) -> Result<Option<Self>, StoreError> {
        if !found.allows::<Developer>() {
            return Ok(None);
        }
        let alerts = tx.list_alerts_of_incident(issue.id, OffsetPage::new(1, ALERTS))?;
        let is_incident = issue.body.content.kind == IssueKind::Incident;
        if alerts.items.is_empty() && !is_incident {
            return Ok(None);
        }
        let filter = NoteFilter {
            activity: NoteActivity::Activity,
            ..seen_notes(on_issue(issue), found)
        };
        let notes = tx.list_notes(&filter, OffsetPage::new(1, CHANGES))?.items;
        let state = |body: &str| STATES.iter().find(|(text, _)| *text == body);
        let changes = notes
            .iter()
            .filter_map(|note| Some((note.created_at, state(&note.body)?.1)));
        Ok(Some(Self {
            alerts,
            changes: changes.collect(),
        }))
    }

    /// Returns the alerts and the timeline for display.
    pub(super) fn view(
        self,
        issue: &Issue,
        found: &ProjectContext,
        now: Timestamp,
    ) -> IncidentAlerts {
        let name = |alert: &AlertSummary| {
            let path = format!("{}/-/alert_management/{}/details", found.path(), alert.iid);
            (DisplayName::of(&alert.title), path)
        };
        let mut moments = vec![(issue.created_at, "Incident created", None)];
        moments.extend(self.changes.iter().map(|(at, text)| (*at, *text, None)));
        for alert in &self.alerts.items {
            moments.push((alert.started_at, "Alert fired:", Some(name(alert))));
            let ended = alert.status.ended_at();
            moments.extend(ended.map(|at| (at, "Alert resolved:", Some(name(alert)))));
        }
        moments.sort_by_key(|(at, ..)| *at);
        let rows = self.alerts.items.iter().map(|alert| {
            let (title, path) = name(alert);
            IncidentAlertRow {
                severity: alert.severity.into(),
                status: alert.status.into(),
                title,
                path,
                started: DisplayTime::at(alert.started_at, now),
                ended: alert.status.ended_at().map(|at| DisplayTime::at(at, now)),
            }
        });
        IncidentAlerts {
            total: count(self.alerts.total),
            rows: rows.collect(),
            has_more: self.alerts.has_next,
            timeline: moments
                .into_iter()
                .map(|(at, text, alert)| IncidentMoment {
                    time: DisplayTime::at(at, now),
                    text,
                    alert,
                })
                .collect(),
        }
    }
}
