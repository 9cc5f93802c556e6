//! Rendering of Markdown as HTML that is safe on a page.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! All functions are at the root of the crate: [`references`] lists the references in a text, [`render`] converts it to
//! HTML, and [`mentions`] and [`task_items`] extract the mentioned users and count the tasks.
//!
//! # Invariants
//! * The output of [`render`] contains no script, no style, no event handler, and nothing that a browser loads by
//!   itself.
//! * Code contains no references, and neither does the text of a link.
//! * A reference that the caller did not resolve stays text, so a page does not disclose what exists.
//! * Every function takes time proportional to the length of the text, for any text.

mod bounds;
mod document;
mod reference;
mod rewrite;
mod sanitize;
mod scan;
mod tasks;

pub use bounds::{MAX_CHARACTERS, MAX_MARKER_COLUMN, MAX_REFERENCES};
pub use document::{RenderSettings, TaskItems, mentions, references, render, task_items};
pub use reference::{Reference, ResolvedReferences, Target};
