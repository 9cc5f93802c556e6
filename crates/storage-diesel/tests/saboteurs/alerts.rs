//! Saboteurs of alerts, their endpoints and their receipts.

use std::cmp::Reverse;

use alert_intake::model::{Alert, AlertFilter, AlertOrder, AlertSummary};
use api_conventions::ids::{AlertIid, ProjectId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur};

/// Projects that the suite writes to.
const PLACES: [ProjectId; 2] = [ProjectId::new(1), ProjectId::new(2)];

pub(crate) struct MixesUpProjects;

impl Saboteur for MixesUpProjects {
    fn find_alert(
        &self,
        at: &mut ReadHook<'_>,
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

/// Defines a saboteur that lists alerts by another filter, or returns another page than the one found.
macro_rules! lists_otherwise {
    ($name:ident, |$at:ident, $filter:ident, $page:ident| $body:expr) => {
        pub(crate) struct $name;

        impl Saboteur for $name {
            fn list_alerts(
                &self,
                $at: &mut ReadHook<'_>,
                $filter: &AlertFilter,
                $page: OffsetPage,
            ) -> Result<Page<AlertSummary>, StoreError> {
                $body
            }
        }
    };
}

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
