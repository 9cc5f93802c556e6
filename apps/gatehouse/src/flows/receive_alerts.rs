//! Storing what a POST brought, together with its entries in the feed.

use alert_intake::flow::receive::{AlertChange, AlertChangeKind, DeliveryOutcome, receive};
use alert_intake::model::Delivery;
use api_conventions::ids::{ProjectId, UserId};
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
    type Output = DeliveryOutcome;
    type Error = StoreError;

    /// The alerts of a project are numbered under one lock, which is held until the commit.
    const ALONE: bool = true;

    fn weight(&self) -> usize {
        self.delivery.body_bytes + size_of::<Self>()
    }
}

impl<Tx: WriteTransaction + ?Sized> GroupWork<Tx> for ReceiveAlerts {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<DeliveryOutcome>, StoreError> {
        let deliveries: Vec<&Delivery> = group.iter().map(|work| &work.delivery).collect();
        let received = receive(tx, &deliveries)?;
        if let Some(author) = group.first().map(|work| work.author_id)
            && !received.changes.is_empty()
        {
            record(tx, author, received.changes)?;
        }
        Ok(received.outcomes)
    }
}

fn record<Tx: WriteTransaction + ?Sized>(
    tx: &mut Tx,
    author_id: UserId,
    changes: Vec<AlertChange>,
) -> Result<(), StoreError> {
    let latest = changes.iter().map(|change| change.at).max();
    let mut projects: Vec<ProjectId> = changes.iter().map(|change| change.project_id).collect();
    projects.sort_unstable();
    projects.dedup();
    let entries: Vec<NewEvent> = changes
        .into_iter()
        .map(|change| entry(change, author_id))
        .collect();
    tx.insert_events(&entries)?;
    latest.map_or(Ok(()), |at| tx.touch_projects(&projects, at))
}

fn entry(change: AlertChange, author_id: UserId) -> NewEvent {
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
            title: Some(change.title),
        }),
        audience: Audience::Developers,
        created_at: change.at,
    }
}
