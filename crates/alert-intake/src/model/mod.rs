//! Alerts, the endpoints that receive them, and receipts of deliveries.

mod alert;
mod change;
mod delivery;
mod environment;
mod filter;
mod heartbeat;
mod idempotency_record;
mod incident;
mod integration;
mod mapping;
mod open_alerts;
mod receipt;
mod silence;
#[cfg(test)]
#[cfg(feature = "serde")]
mod stored_tests;

pub use alert::{
    Alert, AlertIdentity, AlertStatus, AlertSummary, KnownAlert, NewAlert, ReportState, Severity,
    Source, Start,
};
pub use change::{AlertNumbers, AlertProgress, AlertRevision, StatusChange, TriageChange};
pub use delivery::{Delivery, IncomingAlert, ReportDigest, SenderContext};
pub use environment::{OldestResolved, OpenAlertCounts};
pub use filter::{AlertFilter, AlertOrder};
pub use heartbeat::{Heartbeat, HeartbeatRule};
pub use idempotency_record::{ContentDigest, DeliveryKey, IdempotencyRecord};
pub use incident::{IncidentLink, IncidentSettings, MAX_INCIDENT_TEMPLATE, SeveritySet};
pub(crate) use integration::folded;
pub use integration::{
    Integration, IntegrationChange, IntegrationSettings, KEY_PREFIX, NewIntegration, RetiredKey,
    SettingsError, SeverityTable, UnknownSeverity,
};
pub use mapping::{AlertField, FieldMapping, MappedField, MappingError, PathStep};
pub use open_alerts::{OpenAlertFilter, OpenAlertPosition, OpenStatus};
pub use receipt::{DeliveryRefusal, NewReceipt, Receipt, ReceiptCounts, SenderNetwork};
pub use silence::{AlertExpiry, LabelMatcher, NewSilence, Silence, SilenceState};
