//! Filters for lists of records.

use crate::model::{Edition, Record, RecordStatus, SubjectKind};

/// Filter for a list of records. Criteria that are not set match every record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Filter by whether the change breaks clients that do not adapt.
    pub breaking: Option<bool>,
    /// True to match only records about the REST API.
    pub is_rest: bool,
    /// Filter by kind of subject.
    pub kind: Option<SubjectKind>,
    /// Filter by status at the edition.
    pub status: Option<RecordStatus>,
    /// Words that must all occur in the record, in any case.
    pub search: String,
}

impl Filter {
    /// True if a record matches at an edition.
    pub fn shows(&self, record: &Record, at: Edition) -> bool {
        let is_meant = self
            .breaking
            .is_none_or(|breaking| record.breaking == breaking)
            && (!self.is_rest || record.is_rest())
            && self.kind.is_none_or(|kind| record.kind == kind)
            && self.status.is_none_or(|status| record.status(at) == status);
        is_meant && self.finds(record)
    }

    fn finds(&self, record: &Record) -> bool {
        if self.search.trim().is_empty() {
            return true;
        }
        let parts = [
            record.title.as_str(),
            record.area.as_str(),
            record.body.as_str(),
            record.replacement.as_deref().unwrap_or_default(),
            record.id.as_str(),
        ];
        let text = parts.join("\n").to_lowercase();
        let sought = self.search.to_lowercase();
        sought.split_whitespace().all(|word| text.contains(word))
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::release::Release;

    use super::*;
    use crate::published;

    fn shown(filter: &Filter) -> Vec<&'static str> {
        let at = Edition::of(Release(15, 9));
        let records = published().records().iter();
        let found = records.filter(|record| filter.shows(record, at));
        found.map(|record| record.id.as_str()).collect()
    }

    #[test]
    fn a_search_finds_records_that_have_all_its_words() {
        let search = |text: &str| {
            shown(&Filter {
                search: text.to_owned(),
                ..Filter::default()
            })
        };
        assert_eq!(
            search("DEPLOYMENTS updated_at"),
            ["15-8-deployments-updated-at"]
        );
        assert_eq!(search("deployments nothing-has-this-word").len(), 0);
        assert_eq!(search("  ").len(), published().records().len());
    }

    #[test]
    fn each_filter_selects_its_matching_records() {
        let breaking = |record: &Record| record.breaking;
        for (filter, is_meant) in [
            (
                Filter {
                    breaking: Some(true),
                    ..Filter::default()
                },
                Box::new(breaking) as Box<dyn Fn(&Record) -> bool>,
            ),
            (
                Filter {
                    is_rest: true,
                    ..Filter::default()
                },
                Box::new(Record::is_rest),
            ),
            (
                Filter {
                    kind: Some(SubjectKind::Graphql),
                    ..Filter::default()
                },
                Box::new(|record: &Record| record.kind == SubjectKind::Graphql),
            ),
            (
                Filter {
                    status: Some(RecordStatus::Absent),
                    ..Filter::default()
                },
                Box::new(|record: &Record| {
                    record.announced() > Release(15, 9) && !record.is_deprecation()
                }),
            ),
        ] {
            let records = published().records().iter();
            let expected: Vec<&str> = records
                .filter(|record| is_meant(record))
                .map(|record| record.id.as_str())
                .collect();
            assert!(!expected.is_empty(), "{filter:?}");
            assert_eq!(shown(&filter), expected, "{filter:?}");
        }
    }
}
