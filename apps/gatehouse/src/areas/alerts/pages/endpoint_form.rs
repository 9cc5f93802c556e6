//! Form of an alert endpoint: its name and the rules for its payloads, as people write them.

use std::collections::BTreeMap;

use alert_intake::flow::integrations::IntegrationUpdate;
use alert_intake::model::{AlertField, FieldMapping, Integration, MappedField, SeverityTable};
use alert_intake::rules::mapping::{parse_path, parse_table, path_text, table_text};

use crate::frame::form::PageForm;

/// Texts of the form of an endpoint.
#[derive(Debug, Clone)]
pub(super) struct EndpointForm {
    pub(super) name: String,
    /// Labels that do not count, one per line.
    pub(super) ignored_labels: String,
    /// Severities, a line `word=severity` each.
    pub(super) severities: String,
    /// True if newer reports also lower the severity of an open alert.
    pub(super) lowers_severity: bool,
    /// Minutes after which an open alert is stale; empty for never.
    pub(super) stale_after: String,
    /// Largest number of requests in a minute; empty for any number.
    pub(super) requests_per_minute: String,
    /// True if the key also reads alerts and manages silences.
    pub(super) key_manages: bool,
    /// Seconds between two heartbeats; empty for an endpoint that takes alerts.
    pub(super) heartbeat_interval: String,
    /// Seconds for which a heartbeat may be late; empty for as many.
    pub(super) heartbeat_grace: String,
    /// Problem of a refused form.
    pub(super) problem: Option<String>,
}

impl EndpointForm {
    /// Creates the form of a stored endpoint.
    pub(super) fn of(endpoint: &Integration) -> Self {
        let words: BTreeMap<String, String> = endpoint.settings.severities.clone().into();
        let text = |number: Option<u32>| number.map_or_else(String::new, |it| it.to_string());
        Self {
            name: endpoint.name.clone(),
            ignored_labels: endpoint.settings.ignored_labels.join("\n"),
            severities: table_text(&words),
            lowers_severity: endpoint.settings.lowers_severity,
            stale_after: text(endpoint.settings.stale_after),
            requests_per_minute: text(endpoint.settings.requests_per_minute),
            key_manages: endpoint.settings.key_manages,
            heartbeat_interval: text(endpoint.settings.heartbeat.map(|rule| rule.interval)),
            heartbeat_grace: text(endpoint.settings.heartbeat.map(|rule| rule.grace)),
            problem: None,
        }
    }

    /// Reads the sent form.
    pub(super) fn read(form: &PageForm) -> Self {
        let text = |name: &str| form.text(name).replace("\r\n", "\n");
        Self {
            name: form.text("name").trim().to_owned(),
            ignored_labels: text("ignored_labels"),
            severities: text("severities"),
            lowers_severity: form.is_ticked("lower_severity"),
            stale_after: form.text("stale_after").trim().to_owned(),
            requests_per_minute: form.text("requests_per_minute").trim().to_owned(),
            key_manages: form.is_ticked("key_manages"),
            heartbeat_interval: form.text("heartbeat_interval").trim().to_owned(),
            heartbeat_grace: form.text("heartbeat_grace").trim().to_owned(),
            problem: None,
        }
    }

    /// Returns the update of the endpoint.
    ///
    /// # Errors
    /// A sentence about the field that cannot be read.
    pub(super) fn update(&self) -> Result<IntegrationUpdate, String> {
        let labels = self.ignored_labels.split([',', '\n']).map(str::trim);
        let labels = labels.filter(|label| !label.is_empty()).map(str::to_owned);
        let words = parse_table(&self.severities)
            .ok_or("Write each severity as word=severity, on a line of its own.")?;
        let severities = SeverityTable::try_from(words);
        let number = |text: &str, name: &str| match text {
            "" => Ok(None),
            text => text
                .parse::<u32>()
                .map(Some)
                .map_err(|_| format!("{name}: write a whole number, or leave the field empty.")),
        };
        let above_zero = |text, name| Ok::<_, String>(number(text, name)?.filter(|it| *it > 0));
        let interval = above_zero(&self.heartbeat_interval, "Heartbeat")?;
        let grace = number(&self.heartbeat_grace, "Grace")?;
        Ok(IntegrationUpdate {
            name: Some(self.name.clone()),
            ignored_labels: Some(labels.collect()),
            severities: Some(severities.map_err(|error| format!("{error}."))?),
            lowers_severity: Some(self.lowers_severity),
            stale_after: Some(above_zero(&self.stale_after, "Stale after")?),
            requests_per_minute: Some(above_zero(
                &self.requests_per_minute,
                "Requests per minute",
            )?),
            key_manages: Some(self.key_manages),
            heartbeat_interval: Some(interval),
            // A grace that is left in the field of a form without a heartbeat means nothing.
            heartbeat_grace: interval.map(|interval| grace.unwrap_or(interval)),
            ..IntegrationUpdate::default()
        })
    }
}

/// Field of an alert in the form of a mapping.
#[derive(Debug, Clone)]
pub(super) struct FieldRow {
    pub(super) field: &'static str,
    pub(super) label: String,
    /// Paths, separated by commas; the first with a value counts.
    pub(super) paths: String,
    /// Values to replace, separated by commas.
    pub(super) values: String,
}

/// Returns the rows of a mapping: all fields of an alert.
pub(super) fn rows_of(mapping: &FieldMapping) -> Vec<FieldRow> {
    let row = |field: AlertField| {
        let of_field = || mapping.0.iter().filter(|entry| entry.field == field);
        let paths: Vec<String> = of_field().map(|entry| path_text(&entry.path)).collect();
        let values = of_field().find(|entry| !entry.values.is_empty());
        FieldRow {
            field: field.as_str(),
            label: label_of(field),
            paths: paths.join(", "),
            values: values.map_or_else(String::new, |entry| {
                table_text(&entry.values).replace('\n', ", ")
            }),
        }
    };
    AlertField::ALL.into_iter().map(row).collect()
}

/// Reads the rows of a sent form.
pub(super) fn read_rows(form: &PageForm) -> Vec<FieldRow> {
    let row = |field: AlertField| {
        let name = field.as_str();
        FieldRow {
            field: name,
            label: label_of(field),
            paths: form.text(&format!("{name}_path")).trim().to_owned(),
            values: form.text(&format!("{name}_values")).trim().to_owned(),
        }
    };
    AlertField::ALL.into_iter().map(row).collect()
}

/// Returns the mapping of rows. Each path of a field has the field's values.
///
/// # Errors
/// A sentence about the row that cannot be read.
pub(super) fn mapping_of(rows: &[FieldRow]) -> Result<FieldMapping, String> {
    let mut entries = Vec::new();
    for row in rows {
        let field = AlertField::parse(row.field).ok_or("Choose the fields of an alert.")?;
        let values = parse_table(&row.values)
            .ok_or_else(|| format!("{}: write each value as word=replacement.", row.label))?;
        for path in row
            .paths
            .split(',')
            .map(str::trim)
            .filter(|path| !path.is_empty())
        {
            let path = parse_path(path).ok_or_else(|| {
                format!(
                    "{}: {path} is not a path such as check.hosts[0].",
                    row.label
                )
            })?;
            let values = values.clone();
            entries.push(MappedField {
                field,
                path,
                values,
            });
        }
    }
    let mapping = FieldMapping(entries);
    mapping
        .validate()
        .map_err(|error| format!("Mapping not saved: {error}."))?;
    Ok(mapping)
}

/// Returns the name of a field for people.
fn label_of(field: AlertField) -> String {
    let words = field.as_str().replace('_', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(field: AlertField, paths: &str, values: &str) -> FieldRow {
        FieldRow {
            field: field.as_str(),
            label: label_of(field),
            paths: paths.to_owned(),
            values: values.to_owned(),
        }
    }

    #[test]
    fn rows_are_the_mapping_and_the_mapping_its_rows() {
        let rows = [
            row(AlertField::Title, "check.label, name", ""),
            row(AlertField::Severity, "prio", "rot=high, blau=low"),
        ];
        let mapping = mapping_of(&rows).unwrap();
        assert_eq!(mapping.0.len(), 3);
        let shown = rows_of(&mapping);
        assert_eq!(shown.len(), AlertField::ALL.len());
        assert_eq!(
            (shown[0].label.as_str(), shown[0].paths.as_str()),
            ("Title", "check.label, name")
        );
        assert_eq!(shown[2].values, "blau=low, rot=high");
        assert_eq!(mapping_of(&shown).unwrap(), mapping);
    }

    #[test]
    fn a_row_that_cannot_be_read_is_named() {
        for (bad, expected) in [
            (
                row(AlertField::StartTime, "a..b", ""),
                "Start time: a..b is not a path",
            ),
            (row(AlertField::Title, "a", "x"), "Title: write each value"),
            (
                row(AlertField::Severity, "a", "x=worse"),
                "a severity is critical, high",
            ),
        ] {
            let problem = mapping_of(&[bad]).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }
}
