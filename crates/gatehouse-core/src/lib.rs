//! Core of Gatehouse, without the web.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`database`]: one type over SQLite and PostgreSQL.
//! * [`flows`]: use cases that span the domain crates.
//! * [`auth`]: authentication of tokens and sessions, and its caches.
//! * [`feed_watch`]: new events of the activity feed, for those who follow it.
//! * [`passwords`], [`vault`], [`signing_keys`], [`private_files`], [`randomness`]: secrets.
//! * [`deprecation_uses`]: usage of deprecated features.
//! * [`runner_contacts`]: last contacts of runners.
//! * [`external_tracker`]: calls to external error trackers.
//! * [`container_registry`], [`registry_keys`]: calls to a container registry, and the tokens that it trusts.
//! * [`notifying`]: delivery of notifications to people and programs.
//! * [`spam`]: spam check of content before it is published.
//! * [`backup`]: backup of all stored data in one file, and restore.
//! * [`cleaning`], [`cleaning_alerts`], [`cleaning_images`], [`searching`], [`readiness`], [`clock`]: background work besides requests.
//! * [`sending_messages`]: delivery of the messages of notification channels.
//! * [`settings`]: configuration by the host.

pub mod auth;
pub mod background;
pub mod backup;
pub mod cleaning;
pub mod cleaning_alerts;
pub mod cleaning_images;
pub mod clock;
pub mod collecting;
pub mod container_registry;
pub mod database;
pub mod deleting;
pub mod deprecation_uses;
pub mod external_tracker;
pub mod feed_watch;
pub mod flows;
pub mod http_client;
pub mod jobs;
pub mod notifying;
pub mod passwords;
mod priority;
pub mod private_files;
pub mod randomness;
pub mod readiness;
pub mod registry_keys;
pub mod runner_contacts;
pub mod scopes;
pub mod searching;
pub mod sending_messages;
pub mod settings;
pub mod signing_keys;
pub mod spam;
pub mod vault;
pub mod watching_database;
pub mod watching_heartbeats;
mod watching_silences;
