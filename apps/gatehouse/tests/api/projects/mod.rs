//! `/api/v4/projects` and below.

mod alert;
mod alert_status;
mod alerts;
mod change;
mod counts;
mod events;
mod events_filters;
mod events_of_person;
mod events_of_projects;
mod events_retention;
mod export;
mod import;
mod import_refused;
mod import_roles;
mod issue_lists;
mod issues;
mod keyset;
mod labels;
mod list;
pub(crate) mod members;
mod milestones;
mod moved;
mod notes;
mod receipts;
mod settings;
mod shares;
mod show;
