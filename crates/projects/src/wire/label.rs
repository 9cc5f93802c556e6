//! The JSON of a label.

use api_conventions::ids::LabelId;
use serde::Serialize;

use crate::model::{IssueCounts, Label};

/// A label.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Label"))]
pub struct LabelJson {
    id: LabelId,
    name: String,
    description: Option<String>,
    description_html: String,
    text_color: &'static str,
    color: String,
    subscribed: bool,
    priority: Option<i64>,
    is_project_label: bool,
    #[serde(flatten)]
    counts: Option<LabelCounts>,
}

/// Number of issues with the label.
/// There are no merge requests.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[expect(clippy::struct_field_names, reason = "clients know these names")]
struct LabelCounts {
    open_issues_count: u64,
    closed_issues_count: u64,
    open_merge_requests_count: u32,
}

impl LabelJson {
    /// A label with its description as HTML and, if given, the numbers of issues that have it.
    pub fn new(label: Label, description_html: String, counts: Option<IssueCounts>) -> Self {
        Self {
            id: label.id,
            name: label.content.title,
            description: label.content.description,
            description_html,
            text_color: text_color(&label.content.color),
            color: label.content.color,
            subscribed: false,
            priority: label.content.priority,
            is_project_label: true,
            counts: counts.map(|counts| LabelCounts {
                open_issues_count: counts.opened,
                closed_issues_count: counts.closed,
                open_merge_requests_count: 0,
            }),
        }
    }
}

/// Text color that is readable on a color: dark if the sum of the three components is over 500, as clients expect.
pub(super) fn text_color(color: &str) -> &'static str {
    let digits = color.trim_start_matches('#');
    let parts = u32::from_str_radix(digits, 16).unwrap_or_default();
    let sum: u32 = parts.to_be_bytes().into_iter().map(u32::from).sum();
    if sum > 500 { "#1F1E24" } else { "#FFFFFF" }
}
