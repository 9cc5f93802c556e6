//! Saboteurs of alerts, their endpoints and their receipts.

use std::cmp::Reverse;

use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertOrder, AlertProgress, AlertStatus,
    AlertSummary, ContentDigest, Integration, KeptAnswer, KnownAlert, NewAlert, NewIntegration,
    NewReceipt, Receipt, Start, StatusChange,
};
use alert_intake::search::PART;
use alert_intake::store::{InsertIntegration, SetStatus};
use api_conventions::ids::{AlertIid, IntegrationId, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

/// The projects that the suite writes to.
const PLACES: [ProjectId; 2] = [ProjectId::new(1), ProjectId::new(2)];

pub(crate) struct CutsPayloads;

impl Saboteur for CutsPayloads {
    fn insert_alerts(&self, at: &mut Writing<'_>, alerts: &[NewAlert]) -> Result<(), StoreError> {
        let mut alerts = alerts.to_vec();
        for new in &mut alerts {
            new.alert.payload = new.alert.payload.chars().take(16_000).collect();
        }
        at.tx.insert_alerts(&alerts)
    }
}

pub(crate) struct MixesUpProjects;

impl Saboteur for MixesUpProjects {
    fn find_alert(
        &self,
        at: &mut Reading<'_>,
        _: ProjectId,
        iid: AlertIid,
    ) -> Result<Option<Alert>, StoreError> {
        for place in PLACES {
            if let Some(found) = at.tx.find_alert(place, iid)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

pub(crate) struct ReusesNumbers;

impl Saboteur for ReusesNumbers {
    fn reserve_alert_numbers(
        &self,
        at: &mut Writing<'_>,
        wanted: &[(ProjectId, i64)],
    ) -> Result<Vec<AlertNumbers>, StoreError> {
        let mut numbers = at.tx.reserve_alert_numbers(wanted)?;
        for reserved in &mut numbers {
            reserved.first_iid = AlertIid::new((reserved.first_iid.get() - 1).max(1));
        }
        Ok(numbers)
    }
}

pub(crate) struct HidesConflicts;

impl Saboteur for HidesConflicts {
    fn insert_alerts(&self, at: &mut Writing<'_>, alerts: &[NewAlert]) -> Result<(), StoreError> {
        at.tx.insert_alerts(alerts).or(Ok(()))
    }
}

pub(crate) struct AnswersForOneProject;

impl Saboteur for AnswersForOneProject {
    fn list_latest_by_identity(
        &self,
        at: &mut Writing<'_>,
        identities: &[(ProjectId, AlertIdentity)],
    ) -> Result<Vec<KnownAlert>, StoreError> {
        let mut known = at.tx.list_latest_by_identity(identities)?;
        known.retain(|alert| alert.project_id == PLACES[0]);
        Ok(known)
    }
}

pub(crate) struct CountsTwice;

impl Saboteur for CountsTwice {
    fn advance_alerts(
        &self,
        at: &mut Writing<'_>,
        steps: &[AlertProgress],
    ) -> Result<(), StoreError> {
        at.tx.advance_alerts(steps)?;
        at.tx.advance_alerts(steps)
    }
}

pub(crate) struct CutsBatches;

impl Saboteur for CutsBatches {
    fn insert_alerts(&self, at: &mut Writing<'_>, alerts: &[NewAlert]) -> Result<(), StoreError> {
        at.tx.insert_alerts(&alerts[..alerts.len().min(1000)])
    }
}

pub(crate) struct LosesTheMoment;

impl Saboteur for LosesTheMoment {
    fn set_alert_status(
        &self,
        at: &mut Writing<'_>,
        change: &StatusChange,
    ) -> Result<SetStatus, StoreError> {
        at.tx.set_alert_status(&StatusChange {
            at: Timestamp::MIN,
            ..*change
        })
    }
}

pub(crate) struct AlwaysChanged;

impl Saboteur for AlwaysChanged {
    fn set_alert_status(
        &self,
        at: &mut Writing<'_>,
        change: &StatusChange,
    ) -> Result<SetStatus, StoreError> {
        at.tx.set_alert_status(change).map(|_| SetStatus::Changed)
    }
}

pub(crate) struct MovesTheEnd;

impl Saboteur for MovesTheEnd {
    fn advance_alerts(
        &self,
        at: &mut Writing<'_>,
        steps: &[AlertProgress],
    ) -> Result<(), StoreError> {
        at.tx.advance_alerts(steps)?;
        for step in steps {
            let all = OffsetPage::new(1, 100);
            let listed = at.tx.list_alerts(&AlertFilter::new(PLACES[0]), all)?.items;
            let moved = listed.iter().find(|alert| alert.id == step.id);
            if let (Some(alert), Some(ended_at)) = (moved, step.resolved_at) {
                at.tx.set_alert_status(&StatusChange {
                    project_id: alert.project_id,
                    iid: alert.iid,
                    status: AlertStatus::Resolved { ended_at },
                    at: step.updated_at,
                })?;
            }
        }
        Ok(())
    }
}

/// Defines a saboteur who lists alerts by another filter, or gives another page than the one found.
macro_rules! lists_otherwise {
    ($name:ident, |$at:ident, $filter:ident, $page:ident| $body:expr) => {
        pub(crate) struct $name;

        impl Saboteur for $name {
            fn list_alerts(
                &self,
                $at: &mut Reading<'_>,
                $filter: &AlertFilter,
                $page: OffsetPage,
            ) -> Result<Page<AlertSummary>, StoreError> {
                $body
            }
        }
    };
}

lists_otherwise!(IgnoresSeverity, |at, filter, page| {
    let mut filter = filter.clone();
    filter.severities.clear();
    at.tx.list_alerts(&filter, page)
});

lists_otherwise!(SearchesWildcards, |at, filter, page| {
    let mut filter = filter.clone();
    filter.search = filter.search.filter(|text| text != "%");
    at.tx.list_alerts(&filter, page)
});

lists_otherwise!(ListsLess, |at, filter, page| {
    let listed = at.tx.list_alerts(filter, page)?;
    Ok(listed.map(|alert| AlertSummary {
        hosts: vec!["a host".to_owned()],
        ..alert
    }))
});

lists_otherwise!(DropsTheLastRow, |at, filter, page| {
    let mut listed = at.tx.list_alerts(filter, page)?;
    if listed.has_next {
        listed.items.pop();
    }
    Ok(listed)
});

lists_otherwise!(CutsTotals, |at, filter, page| {
    let mut listed = at.tx.list_alerts(filter, page)?;
    if listed.total == Total::Beyond {
        listed.total = Total::Exact(Total::COUNTED);
    }
    Ok(listed)
});

lists_otherwise!(BreaksTiesUpwards, |at, filter, page| {
    let mut listed = at.tx.list_alerts(filter, page)?;
    if filter.order_by == AlertOrder::Severity && filter.sort == SortOrder::Descending {
        let key = |alert: &AlertSummary| (Reverse(alert.severity), alert.iid);
        listed.items.sort_by_key(key);
    }
    Ok(listed)
});

pub(crate) struct ActivatesEndpoints;

impl Saboteur for ActivatesEndpoints {
    fn find_integration(
        &self,
        at: &mut Reading<'_>,
        project: ProjectId,
        identifier: &str,
    ) -> Result<Option<Integration>, StoreError> {
        let found = at.tx.find_integration(project, identifier)?;
        Ok(found.map(|endpoint| Integration {
            active: true,
            ..endpoint
        }))
    }
}

pub(crate) struct SharesIdentifiers;

impl Saboteur for SharesIdentifiers {
    fn insert_integration(
        &self,
        at: &mut Writing<'_>,
        new: &NewIntegration,
    ) -> Result<InsertIntegration, StoreError> {
        match at.tx.insert_integration(new)? {
            InsertIntegration::IdentifierTaken => {
                Ok(InsertIntegration::Inserted(IntegrationId::new(1)))
            }
            outcome @ InsertIntegration::Inserted(_) => Ok(outcome),
        }
    }
}

pub(crate) struct LosesNotes;

impl Saboteur for LosesNotes {
    fn insert_receipts(
        &self,
        at: &mut Writing<'_>,
        receipts: &[NewReceipt],
    ) -> Result<(), StoreError> {
        let mut receipts = receipts.to_vec();
        for receipt in &mut receipts {
            receipt.context.notes.clear();
        }
        at.tx.insert_receipts(&receipts)
    }
}

pub(crate) struct TurnsReceipts;

impl Saboteur for TurnsReceipts {
    fn list_receipts(
        &self,
        at: &mut Reading<'_>,
        project: ProjectId,
        page: OffsetPage,
    ) -> Result<Page<Receipt>, StoreError> {
        let mut listed = at.tx.list_receipts(project, page)?;
        listed.items.reverse();
        Ok(listed)
    }
}

pub(crate) struct SearchesWhatIsPrepared;

impl Saboteur for SearchesWhatIsPrepared {
    fn list_alerts(
        &self,
        at: &mut Reading<'_>,
        filter: &AlertFilter,
        page: OffsetPage,
    ) -> Result<Page<AlertSummary>, StoreError> {
        let mut listed = at.tx.list_alerts(filter, page)?;
        if filter.search.is_some() {
            listed.items.retain(|alert| alert.iid.get() <= PART);
            listed.total = Total::Exact(u64::try_from(listed.items.len()).unwrap());
        }
        Ok(listed)
    }
}

/// Does nothing when the alert changed later already.
pub(crate) struct LosesEarlierChanges;

impl Saboteur for LosesEarlierChanges {
    fn set_alert_status(
        &self,
        at: &mut Writing<'_>,
        change: &StatusChange,
    ) -> Result<SetStatus, StoreError> {
        let stored = at.tx.find_alert(change.project_id, change.iid)?;
        if stored.is_some_and(|stored| stored.summary.updated_at > change.at) {
            return Ok(SetStatus::Changed);
        }
        at.tx.set_alert_status(change)
    }
}

pub(crate) struct InsertsAsStated;

impl Saboteur for InsertsAsStated {
    fn insert_alerts(&self, at: &mut Writing<'_>, alerts: &[NewAlert]) -> Result<(), StoreError> {
        let mut alerts = alerts.to_vec();
        for new in &mut alerts {
            let summary = &mut new.alert.summary;
            summary.last_start = Start::stated(summary.last_start.at);
        }
        at.tx.insert_alerts(&alerts)
    }
}

pub(crate) struct AdvancesAsStated;

impl Saboteur for AdvancesAsStated {
    fn advance_alerts(
        &self,
        at: &mut Writing<'_>,
        steps: &[AlertProgress],
    ) -> Result<(), StoreError> {
        let stated = |step: &AlertProgress| AlertProgress {
            last_start: Start::stated(step.last_start.at),
            ..*step
        };
        let steps: Vec<AlertProgress> = steps.iter().map(stated).collect();
        at.tx.advance_alerts(&steps)
    }
}

pub(crate) struct CutsAnswers;

impl Saboteur for CutsAnswers {
    fn put_kept_answers(
        &self,
        at: &mut Writing<'_>,
        answers: &[KeptAnswer],
    ) -> Result<(), StoreError> {
        let mut answers = answers.to_vec();
        for (_, title) in answers.iter_mut().flat_map(|answer| &mut answer.alerts) {
            title.clear();
        }
        at.tx.put_kept_answers(&answers)
    }
}

pub(crate) struct MixesUpEndpoints;

impl Saboteur for MixesUpEndpoints {
    fn list_kept_answers(
        &self,
        at: &mut Writing<'_>,
        keys: &[(IntegrationId, ContentDigest)],
    ) -> Result<Vec<KeptAnswer>, StoreError> {
        let everywhere: Vec<_> = keys
            .iter()
            .flat_map(|(_, key)| [1, 2].map(|id| (IntegrationId::new(id), *key)))
            .collect();
        at.tx.list_kept_answers(&everywhere)
    }
}

pub(crate) struct KeepsTheFirstAnswer;

impl Saboteur for KeepsTheFirstAnswer {
    fn put_kept_answers(
        &self,
        at: &mut Writing<'_>,
        answers: &[KeptAnswer],
    ) -> Result<(), StoreError> {
        for answer in answers {
            let key = (answer.integration_id, answer.key.key);
            if at.tx.list_kept_answers(&[key])?.is_empty() {
                at.tx.put_kept_answers(std::slice::from_ref(answer))?;
            }
        }
        Ok(())
    }
}

pub(crate) struct DeletesAnswersEarly;

impl Saboteur for DeletesAnswersEarly {
    fn delete_kept_answers(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError> {
        at.tx.delete_kept_answers(before.plus_seconds(1), limit)
    }
}

pub(crate) struct KnowsNoLimit;

impl Saboteur for KnowsNoLimit {
    fn delete_kept_answers(
        &self,
        at: &mut Writing<'_>,
        before: Timestamp,
        _: usize,
    ) -> Result<usize, StoreError> {
        at.tx.delete_kept_answers(before, usize::MAX)
    }
}
