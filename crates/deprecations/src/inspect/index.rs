//! Index of a schedule's records by the operations they touch.

use std::collections::HashMap;

use crate::model::{Endpoint, Record, Site, Touch};
use crate::schedule::Schedule;

use super::InspectOptions;
use super::findings::is_worth_saying;
use super::report::FileFormat;

/// Index of the records of a schedule by what they touch.
pub(super) struct Index<'s> {
    /// Known operations, by method and number of segments.
    operations: HashMap<(&'static str, usize), Vec<KnownOperation<'s>>>,
    /// Names of pages without `/-/`.
    pages: Vec<(&'s Record, &'s str)>,
    /// GraphQL names.
    graphql: Vec<(&'s Record, &'s str)>,
    /// All records to be reported.
    records: Vec<&'s Record>,
}

/// A known operation, with the touches of records on it.
pub(super) struct KnownOperation<'s> {
    pub(super) endpoint: Endpoint,
    pub(super) touches: Vec<(&'s Record, &'s Touch)>,
}

impl<'s> Index<'s> {
    pub(super) fn of(schedule: &'s Schedule, options: &InspectOptions<'_>) -> Self {
        let mut index = Self {
            operations: HashMap::new(),
            pages: Vec::new(),
            graphql: Vec::new(),
            records: Vec::new(),
        };
        // An operation is known even if its record is not reported at the edition.
        let records = schedule.records().iter();
        let touches = records.flat_map(|record| &record.touches);
        let of_records = touches.filter_map(|touch| touch.site.endpoint());
        for endpoint in options.operations.iter().chain(of_records) {
            index.know(endpoint);
        }
        for record in schedule.records() {
            if !options.ignored.contains(&record.id) && is_worth_saying(record, options.at) {
                index.records.push(record);
                for touch in &record.touches {
                    index.add(record, touch);
                }
            }
        }
        index
    }

    fn know(&mut self, endpoint: &Endpoint) {
        if self.known_mut(endpoint).is_none() {
            let place = (endpoint.method(), segments(endpoint.path()));
            self.operations
                .entry(place)
                .or_default()
                .push(KnownOperation {
                    endpoint: endpoint.clone(),
                    touches: Vec::new(),
                });
        }
    }

    fn known_mut(&mut self, endpoint: &Endpoint) -> Option<&mut KnownOperation<'s>> {
        let place = (endpoint.method(), segments(endpoint.path()));
        let mut alike = self.operations.get_mut(&place)?.iter_mut();
        alike.find(|known| known.endpoint.is(endpoint.method(), endpoint.path()))
    }

    fn add(&mut self, record: &'s Record, touch: &'s Touch) {
        match &touch.site {
            Site::Operation(endpoint)
            | Site::Parameter { endpoint, .. }
            | Site::Field { endpoint, .. } => {
                if let Some(known) = self.known_mut(endpoint) {
                    known.touches.push((record, touch));
                }
            }
            Site::Graphql(name) => self.graphql.push((record, name)),
            Site::Pages(names) => {
                let names = names.iter().map(|name| (record, name.as_str()));
                self.pages.extend(names);
            }
            Site::Behaviour(_) => {}
        }
    }

    /// Finds the operations that a request may call: those with the most segments that are not parameters.
    pub(super) fn requested(&self, method: &str, path: &str) -> Vec<&KnownOperation<'s>> {
        let matching = self.alike(method, path);
        let mut matching: Vec<&KnownOperation<'s>> = matching
            .filter(|known| known.endpoint.matches(method, path))
            .collect();
        let most = matching
            .iter()
            .map(|known| known.endpoint.precision())
            .max();
        matching.retain(|known| Some(known.endpoint.precision()) == most);
        matching
    }

    /// Finds the operation that a document describes, with parameters in braces.
    pub(super) fn described(&self, method: &str, path: &str) -> Option<&KnownOperation<'s>> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut alike = self.alike(method, path);
        alike.find(|known| known.endpoint.is(method, path))
    }

    fn alike(&self, method: &str, path: &str) -> impl Iterator<Item = &KnownOperation<'s>> {
        let method = if method == "HEAD" { "GET" } else { method };
        let path = path.strip_suffix('/').unwrap_or(path);
        let known = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let method = known.into_iter().find(|known| *known == method);
        let found = method.and_then(|method| self.operations.get(&(method, segments(path))));
        found.into_iter().flatten()
    }

    /// Records about pages, with the names of the pages: the segment after the path of a project.
    pub(super) fn pages(&self) -> &[(&'s Record, &'s str)] {
        &self.pages
    }

    /// Records about GraphQL, with their GraphQL names.
    pub(super) fn graphql(&self) -> &[(&'s Record, &'s str)] {
        &self.graphql
    }

    /// Ids of the records that a file of this kind cannot show.
    pub(super) fn not_shown_by(&self, source: FileFormat) -> Vec<String> {
        let is_shown = |site: &Site| match site {
            Site::Operation(_) | Site::Parameter { .. } | Site::Field { .. } => true,
            Site::Graphql(_) => source == FileFormat::Har,
            Site::Pages(_) => source != FileFormat::OpenApi,
            Site::Behaviour(_) => false,
        };
        let records = self.records.iter().filter(|record| {
            let mut touches = record.touches.iter();
            !touches.any(|touch| is_shown(&touch.site))
        });
        records.map(|record| record.id.clone()).collect()
    }
}

fn segments(path: &str) -> usize {
    path.split('/').count()
}
