//! Markdown that people write, as HTML that is safe on a page.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! All is in one place: [`references`] says what a text refers to, [`render`] makes HTML of it, and [`mentions`] and
//! [`task_items`] answer questions about it.
//!
//! # Invariants
//! * What [`render`] gives holds no script, no style, no handler of events, and nothing that a browser loads by itself.
//! * Nothing is found in code, and nothing inside a link.
//! * A reference that the caller did not resolve stays the text that it was, so a page does not tell what exists.
//! * Every function takes time in proportion to the length of the text, whatever the text is.

mod bounds;
mod document;
mod reference;
mod rewrite;
mod sanitize;
mod scan;
mod tasks;

pub use bounds::{MAX_CHARACTERS, MAX_MARKER_COLUMN, MAX_REFERENCES};
pub use document::{Settings, TaskItems, mentions, references, render, task_items};
pub use reference::{Reference, Resolved, Target};
