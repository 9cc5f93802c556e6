//! The schedule: all records, and the changes of a release.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use api_conventions::release::Release;
use chrono::NaiveDate;

use crate::format::{self, Fault};
use crate::model::{
    API_VERSION, Calendar, Edition, Endpoint, Enforcement, Life, Milestone, Monthly, Record,
    RecordStatus, Site, Touch,
};

/// Ordered records: by removal, the latest first, and by title within one removal; introductions follow all removals,
/// the newest first.
#[derive(Debug, Clone)]
pub struct Schedule {
    records: Vec<Record>,
    /// Positions of the touches of enforced records, by the shape of their endpoint: of the record, and in it.
    enforced: HashMap<String, Vec<(usize, usize)>>,
    calendar: Arc<dyn Calendar>,
}

/// An empty schedule.
impl Default for Schedule {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            enforced: HashMap::new(),
            calendar: Arc::new(Monthly),
        }
    }
}

/// Positions of the touches of enforced records, by the shape of their endpoint.
fn enforced(records: &[Record]) -> HashMap<String, Vec<(usize, usize)>> {
    let mut enforced = HashMap::<_, Vec<_>>::new();
    for (at, record) in records.iter().enumerate() {
        if record.enforcement != Enforcement::Enforced {
            continue;
        }
        for (place, touch) in record.touches.iter().enumerate() {
            if let Some(endpoint) = touch.site.endpoint() {
                let shape = Endpoint::shape(endpoint.method(), endpoint.path());
                enforced.entry(shape).or_default().push((at, place));
            }
        }
    }
    enforced
}

/// Changes of a release for users of the one before it.
#[derive(Debug, Clone, Default)]
pub struct Changes<'s> {
    /// Records of what it removes.
    pub removed: Vec<&'s Record>,
    /// Records of what it deprecates.
    pub announced: Vec<&'s Record>,
    /// Records of what it introduces.
    pub introduced: Vec<&'s Record>,
}

impl Schedule {
    /// Parses a schedule from files, each with its name.
    ///
    /// ```
    /// use deprecations::{Edition, Schedule, RecordStatus};
    ///
    /// let schedule = Schedule::parse([(
    ///     "1-2-colour",
    ///     r#"
    ///     title = "The field `colour` of a lamp"
    ///     area = "Lamps"
    ///     kind = "field"
    ///     announced = "15.9"
    ///     removal = "16.0"
    ///     breaking = true
    ///     replacement = "`color`"
    ///     body = "Read `color`."
    ///     enforcement = "enforced"
    ///     edited = "2023-02-22"
    ///     touches = [{ endpoints = ["GET /api/v4/lamps/:id"], field = "colour" }]
    ///     "#,
    /// )]);
    /// let schedule = schedule.map_err(|faults| format!("{faults:?}"))?;
    /// let record = schedule.find("1-2-colour").ok_or("no record")?;
    /// assert_eq!(record.status(Edition::of("15.11".parse()?)), RecordStatus::Deprecated);
    /// assert_eq!(record.status(Edition::of("16.0".parse()?)), RecordStatus::Removed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// All problems of all files.
    pub fn parse<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<Self, Vec<Fault>> {
        Self::parse_with(files, Monthly)
    }

    /// Parses a schedule of a product with this release calendar.
    ///
    /// # Errors
    /// All problems of all files.
    pub fn parse_with<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
        calendar: impl Calendar + 'static,
    ) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let mut records = Vec::new();
        for (id, text) in files {
            match format::parse_with(id, text, &calendar) {
                Ok(record) => records.push(record),
                Err(found) => faults.extend(found),
            }
        }
        if faults.is_empty() {
            Self::new(records, Arc::new(calendar))
        } else {
            Err(faults)
        }
    }

    /// Creates a schedule of these records, which were parsed with the calendar.
    fn new(mut records: Vec<Record>, calendar: Arc<dyn Calendar>) -> Result<Self, Vec<Fault>> {
        let mut ids = BTreeSet::new();
        let repeated = records.iter().filter(|record| !ids.insert(&record.id));
        let faults: Vec<Fault> = repeated
            .map(|record| Fault {
                file: record.id.clone(),
                problem: "another record has this id".to_owned(),
            })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        records.sort_by(|left, right| {
            let removals = right.removal().cmp(&left.removal());
            let arrivals = || match (left.life, right.life) {
                (Life::Introduced(left), Life::Introduced(right)) => right.cmp(&left),
                _ => std::cmp::Ordering::Equal,
            };
            let titles = || left.title.cmp(&right.title);
            removals.then_with(arrivals).then_with(titles)
        });
        Ok(Self {
            enforced: enforced(&records),
            records,
            calendar,
        })
    }

    /// Returns the day on which a release comes out, by the calendar of the schedule.
    pub fn day_of(&self, release: Release) -> Option<NaiveDate> {
        self.calendar.day_of(release)
    }

    /// All records, in order.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Enforced records about the operation with this method and path, each with what it touches of it, in order.
    pub(crate) fn enforced_at(&self, method: &str, path: &str) -> Vec<(&Record, &Touch)> {
        let places = self.enforced.get(&Endpoint::shape(method, path));
        let found = places.into_iter().flatten().filter_map(|(at, place)| {
            let record = self.records.get(*at)?;
            Some((record, record.touches.get(*place)?))
        });
        found.collect()
    }

    /// Records of removals, in order.
    pub fn deprecations(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.records.iter().filter(|record| record.is_deprecation())
    }

    /// Finds a record by its id.
    pub fn find(&self, id: &str) -> Option<&Record> {
        self.records.iter().find(|record| record.id == id)
    }

    /// Returns the changes of a release.
    pub fn changes(&self, release: Release) -> Changes<'_> {
        let mut changes = Changes::default();
        for record in &self.records {
            let removal = record.removal();
            let list = if removal == Some(Milestone::Release(release)) {
                &mut changes.removed
            } else if record.announced() != release {
                continue;
            } else if removal.is_some() {
                &mut changes.announced
            } else {
                &mut changes.introduced
            };
            list.push(record);
        }
        changes
    }

    /// Returns the changes of an edition: a release, or the preview of a version of the API, which removes everything
    /// without a release.
    pub fn changes_of(&self, at: Edition) -> Changes<'_> {
        if at.api == API_VERSION {
            return self.changes(at.release);
        }
        let before = Edition::of(at.release);
        let goes = |record: &&Record| {
            record.status(before) == RecordStatus::Deprecated
                && record.status(at) == RecordStatus::Removed
        };
        Changes {
            removed: self.deprecations().filter(goes).collect(),
            ..Changes::default()
        }
    }

    /// Records that are deprecated at an edition, by removal, the earliest first.
    pub fn coming(&self, at: Edition) -> Vec<&Record> {
        let is_coming = |record: &&Record| record.status(at) == RecordStatus::Deprecated;
        let mut coming: Vec<&Record> = self.deprecations().filter(is_coming).collect();
        coming.sort_by_key(|record| record.removal());
        coming
    }

    /// Milestones of all removals, the latest first.
    pub fn removals(&self) -> Vec<Milestone> {
        let all: BTreeSet<Milestone> = self.records.iter().filter_map(Record::removal).collect();
        all.into_iter().rev().collect()
    }

    /// Releases with changes, in order.
    pub fn releases(&self) -> Vec<Release> {
        let mut all = BTreeSet::new();
        for record in &self.records {
            all.insert(record.announced());
            if let Some(Milestone::Release(release)) = record.removal() {
                all.insert(release);
            }
        }
        all.into_iter().collect()
    }

    /// Records that touch a whole operation.
    pub fn of_operation(&self, method: &str, path: &str) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |record| {
            let is_it = |endpoint: &Endpoint| endpoint.is(method, path);
            let mut touches = record.touches.iter();
            touches.any(|touch| matches!(&touch.site, Site::Operation(it) if is_it(it)))
        })
    }
}
