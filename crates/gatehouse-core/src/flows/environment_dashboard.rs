//! Environments of a project with their open alerts, their last deployment and their new errors.
//!
//! The environments are those that CI systems have registered, and those that only open alerts or new errors name. They
//! are in the order of their names, which are compared exactly; stopped environments are the last. A page costs a few
//! places of an index for each of its environments, and not more for the alerts, deployments and errors that they have.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use alert_intake::model::{AlertFilter, AlertStatus, OpenAlertCounts};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{AlertId, EnvironmentId, ProjectId};
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::time::Timestamp;
use pipelines::model::{Deployment, Environment, EnvironmentState};
use projects::ProjectAccess;
use storage::StoreError;

use crate::database::ReadTransaction;

/// Age up to which an error is new, in seconds: a day.
pub const NEW_ERROR_SECONDS: i64 = 86_400;
/// Newest errors of a project that are counted by their environments.
const MAX_NEW_ERRORS: usize = 500;
/// Open alerts of an environment whose incidents are counted.
pub const MAX_LINKED: u8 = 100;
/// Times that a page looks for further names. Only stopped environments with open alerts or new errors, which follow
/// later in the list, make it look more than once.
const MAX_ROUNDS: usize = 5;

/// Data that a caller may see on the dashboard, besides the environments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DashboardRights {
    /// True for members who may read alerts.
    pub sees_alerts: bool,
    /// True for members who may read errors.
    pub sees_errors: bool,
}

impl DashboardRights {
    /// Rights that come with access to a project.
    pub fn of(access: ProjectAccess) -> Self {
        Self {
            sees_alerts: access.allows(AccessLevel::Developer),
            sees_errors: access.allows(AccessLevel::Reporter),
        }
    }
}

/// Position of an environment in the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DashboardPosition {
    /// True among the stopped environments.
    pub is_stopped: bool,
    /// Name of the environment.
    pub name: String,
}

/// Environment with what happens in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentOverview {
    /// Name.
    pub name: String,
    /// The registered environment; `None` if only alerts or errors name it.
    pub environment: Option<Environment>,
    /// Open alerts; `None` if the caller may not see alerts.
    pub alerts: Option<OpenAlertCounts>,
    /// Incidents of the newest [`MAX_LINKED`] open alerts; `None` if the caller may not see alerts.
    pub open_incidents: Option<usize>,
    /// Unresolved errors that first happened within [`NEW_ERROR_SECONDS`]; `None` if the caller may not see errors.
    pub new_errors: Option<i64>,
    /// Latest deployment, of any status.
    pub last_deployment: Option<Deployment>,
}

/// Page of environments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DashboardPage {
    /// Environments, in the order of the list.
    pub environments: Vec<EnvironmentOverview>,
    /// Position after which the next page starts; `None` on the last page.
    pub next: Option<DashboardPosition>,
}

/// Name in the list, with the environment that has it.
type NamedEnvironment = (String, Option<Environment>);

/// Dashboard of one project.
#[derive(Debug)]
pub struct ProjectDashboard {
    project: ProjectId,
    rights: DashboardRights,
    new_errors: BTreeMap<String, i64>,
}

impl ProjectDashboard {
    /// Counts the new errors of a project, for its dashboard at the time `now`.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn load(
        tx: &mut dyn ReadTransaction,
        project: ProjectId,
        rights: DashboardRights,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let since = now.plus_seconds(-NEW_ERROR_SECONDS);
        let new_errors = if rights.sees_errors {
            tx.count_new_errors_by_environment(project, since, MAX_NEW_ERRORS)?
        } else {
            Vec::new()
        };
        Ok(Self {
            project,
            rights,
            new_errors: new_errors.into_iter().collect(),
        })
    }

    /// Lists at most `limit` environments after a position, or from the first one. A page may have fewer, although
    /// others follow.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn list(
        &self,
        tx: &mut dyn ReadTransaction,
        after: Option<DashboardPosition>,
        limit: usize,
    ) -> Result<DashboardPage, StoreError> {
        let mut position = after.unwrap_or_default();
        let count = limit.saturating_add(1);
        let mut found = Vec::new();
        let is_cut = !position.is_stopped
            && !self.collect_names(tx, &mut position.name, count, &mut found)?;
        if !is_cut && found.len() < count {
            let after = std::mem::take(&mut position.name);
            let after = if position.is_stopped { &*after } else { "" };
            let stopped = tx.list_environments_by_name(
                self.project,
                EnvironmentState::Stopped,
                after,
                count - found.len(),
            )?;
            let stopped = stopped.into_iter();
            found.extend(stopped.map(|environment| (environment.name.clone(), Some(environment))));
        }
        let next = if found.len() > limit {
            found.truncate(limit);
            found.last().map(position_of)
        } else {
            is_cut.then_some(position)
        };
        Ok(DashboardPage {
            environments: self.overviews(tx, found)?,
            next,
        })
    }

    /// Describes one environment, which may be registered or not.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn describe(
        &self,
        tx: &mut dyn ReadTransaction,
        name: String,
        environment: Option<Environment>,
    ) -> Result<Option<EnvironmentOverview>, StoreError> {
        let overview = self.overviews(tx, vec![(name, environment)])?;
        Ok(overview.into_iter().next())
    }

    /// Adds the environments after a name that are not stopped, until there are `count`. Moves the name forward to the
    /// last one examined. Returns false if it stopped before the end of the list and before it found enough.
    fn collect_names(
        &self,
        tx: &mut dyn ReadTransaction,
        after: &mut String,
        count: usize,
        found: &mut Vec<NamedEnvironment>,
    ) -> Result<bool, StoreError> {
        for _ in 0..MAX_ROUNDS {
            let missing = count.saturating_sub(found.len());
            let names = self.names_after(tx, after, missing)?;
            let is_end = names.len() < missing;
            if let Some((last, _)) = names.last_key_value() {
                after.clone_from(last);
            }
            found.extend(self.without_stopped(tx, names)?);
            if is_end || found.len() >= count {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the first names after one, of available environments, open alerts and new errors.
    fn names_after(
        &self,
        tx: &mut dyn ReadTransaction,
        after: &str,
        count: usize,
    ) -> Result<BTreeMap<String, Option<Environment>>, StoreError> {
        let available = EnvironmentState::Available;
        let available = tx.list_environments_by_name(self.project, available, after, count)?;
        let available = available.into_iter();
        let mut names: BTreeMap<String, Option<Environment>> = available
            .map(|environment| (environment.name.clone(), Some(environment)))
            .collect();
        let of_errors = (Bound::Excluded(after), Bound::Unbounded);
        let of_errors = self.new_errors.range::<str, _>(of_errors).take(count);
        let mut stated: BTreeSet<String> = of_errors.map(|(name, _)| name.clone()).collect();
        if self.rights.sees_alerts {
            stated.extend(tx.list_alert_environments(self.project, after, count)?);
        }
        for name in stated {
            names.entry(name).or_insert(None);
        }
        while names.len() > count {
            names.pop_last();
        }
        Ok(names)
    }

    /// Returns the names without those of stopped environments.
    fn without_stopped(
        &self,
        tx: &mut dyn ReadTransaction,
        mut names: BTreeMap<String, Option<Environment>>,
    ) -> Result<BTreeMap<String, Option<Environment>>, StoreError> {
        let unknown = names
            .iter()
            .filter(|(_, environment)| environment.is_none());
        let unknown: Vec<String> = unknown.map(|(name, _)| name.clone()).collect();
        for stopped in tx.list_environments_named(self.project, &unknown)? {
            names.remove(&stopped.name);
        }
        Ok(names)
    }

    /// Adds alerts, errors and deployments to environments.
    fn overviews(
        &self,
        tx: &mut dyn ReadTransaction,
        found: Vec<NamedEnvironment>,
    ) -> Result<Vec<EnvironmentOverview>, StoreError> {
        let counts = if self.rights.sees_alerts {
            let names = found.iter().map(|(name, _)| (self.project, name.clone()));
            tx.count_open_alerts(&names.collect::<Vec<_>>())?
        } else {
            Vec::new()
        };
        let incidents = self.count_incidents(tx, &found, &counts)?;
        let mut alerts = counts.into_iter().zip(incidents);
        let registered = found
            .iter()
            .filter_map(|(_, environment)| environment.as_ref());
        let ids: Vec<EnvironmentId> = registered.map(|environment| environment.id).collect();
        let last = tx.list_last_deployments(&ids)?.into_iter();
        let mut last: BTreeMap<EnvironmentId, Deployment> = last
            .map(|deployment| (deployment.environment_id, deployment))
            .collect();
        let overview = |(name, environment): NamedEnvironment| {
            let (alerts, open_incidents) = alerts.next().unzip();
            EnvironmentOverview {
                alerts,
                open_incidents,
                new_errors: (self.rights.sees_errors)
                    .then(|| self.new_errors.get(&name).copied().unwrap_or_default()),
                last_deployment: (environment.as_ref())
                    .and_then(|environment| last.remove(&environment.id)),
                name,
                environment,
            }
        };
        Ok(found.into_iter().map(overview).collect())
    }

    /// Counts the incidents of the open alerts of environments. An incident with an open alert is open.
    fn count_incidents(
        &self,
        tx: &mut dyn ReadTransaction,
        found: &[NamedEnvironment],
        counts: &[OpenAlertCounts],
    ) -> Result<Vec<usize>, StoreError> {
        let mut places: BTreeMap<AlertId, usize> = BTreeMap::new();
        for (place, ((name, _), counts)) in found.iter().zip(counts).enumerate() {
            if counts.by_severity().next().is_none() {
                continue;
            }
            let filter = AlertFilter {
                environment: Some(name.clone()),
                statuses: vec![
                    AlertStatus::Triggered.number(),
                    AlertStatus::Acknowledged.number(),
                ],
                ..AlertFilter::new(self.project)
            };
            let newest = KeysetPage::new(u16::from(MAX_LINKED), SortOrder::Descending);
            let alerts = tx.list_alerts_after(&filter, None, newest)?.items;
            places.extend(alerts.into_iter().map(|alert| (alert.id, place)));
        }
        let mut incidents = vec![BTreeSet::new(); counts.len()];
        if !places.is_empty() {
            let alerts: Vec<AlertId> = places.keys().copied().collect();
            for link in tx.list_incident_links(&alerts)? {
                let place = places
                    .get(&link.alert_id)
                    .and_then(|place| incidents.get_mut(*place));
                place.map(|incidents| incidents.insert(link.issue_id));
            }
        }
        Ok(incidents.iter().map(BTreeSet::len).collect())
    }
}

/// Position of an environment.
fn position_of((name, environment): &NamedEnvironment) -> DashboardPosition {
    let state = environment.as_ref().map(|environment| environment.state);
    DashboardPosition {
        is_stopped: state == Some(EnvironmentState::Stopped),
        name: name.clone(),
    }
}
