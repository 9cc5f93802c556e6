//! Storing what a POST brought, together with its entries in the feed.

use std::collections::HashMap;

use alert_intake::flow::receive::{
    AlertChange, AlertChangeKind, DeliveryOutcome, KeyReused, receive,
};
use alert_intake::model::Delivery;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::Timestamp;
use events::{Action, Audience, EventTarget, NewEvent, TargetType};
use storage::{GroupWork, StoreError, Work};

use crate::database::WriteTransaction;

/// One POST to be stored: whole or not at all. Requests that arrive together are written together.
#[derive(Debug)]
pub struct ReceiveAlerts {
    /// What the POST brought.
    pub delivery: Delivery,
    /// The author of the entries in the feed.
    pub author_id: UserId,
}

impl Work for ReceiveAlerts {
    type Output = Result<DeliveryOutcome, KeyReused>;
    type Error = StoreError;

    /// The alerts of a project are numbered under one lock, which is held until the commit.
    const EXCLUSIVE: bool = true;

    fn weight(&self) -> usize {
        self.delivery.body_bytes + size_of::<Self>()
    }
}

impl<Tx: WriteTransaction + ?Sized> GroupWork<Tx> for ReceiveAlerts {
    /// Each POST keeps its own author and its own times, whatever company it is written in.
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, StoreError> {
        let deliveries: Vec<&Delivery> = group.iter().map(|work| &work.delivery).collect();
        let outcomes = receive(tx, &deliveries)?;
        let changes: Vec<(UserId, &AlertChange)> = group
            .iter()
            .zip(&outcomes)
            .filter_map(|(work, outcome)| Some((work.author_id, outcome.as_ref().ok()?)))
            .flat_map(|(author, outcome)| outcome.changes.iter().map(move |told| (author, told)))
            .collect();
        if !changes.is_empty() {
            let entries: Vec<NewEvent> = changes.iter().map(|told| entry(*told)).collect();
            tx.insert_events(&entries)?;
            tx.touch_projects(&activity(&changes))?;
        }
        Ok(outcomes)
    }
}

/// When something happened in which project, in order. A time that is no later than one before it adds nothing to what
/// is noted of the project, so it is left out.
fn activity(changes: &[(UserId, &AlertChange)]) -> Vec<(ProjectId, Timestamp)> {
    let mut latest: HashMap<ProjectId, Timestamp> = HashMap::new();
    let mut timestamps = Vec::new();
    for (_, change) in changes {
        let is_later = latest
            .get(&change.project_id)
            .is_none_or(|known| change.at > *known);
        if is_later {
            latest.insert(change.project_id, change.at);
            timestamps.push((change.project_id, change.at));
        }
    }
    timestamps
}

fn entry((author_id, change): (UserId, &AlertChange)) -> NewEvent {
    NewEvent {
        project_id: change.project_id,
        author_id,
        action: match change.kind {
            AlertChangeKind::Opened => Action::Created,
            AlertChangeKind::Resolved => Action::Closed,
        },
        target: Some(EventTarget {
            kind: TargetType::Alert,
            id: change.alert_id.get(),
            iid: change.iid.get(),
            title: Some(change.title.clone()),
        }),
        audience: Audience::Developers,
        created_at: change.at,
    }
}

#[cfg(test)]
mod tests;
