//! `/api/v4/projects` and below.

mod alert;
mod alert_status;
mod alerts;
mod events;
mod events_filters;
mod keyset;
mod labels;
mod list;
mod milestones;
mod receipts;
mod show;
