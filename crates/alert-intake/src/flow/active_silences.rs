//! Silences that are active, and the alerts that they hide.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Alert, Silence, SilenceState};
use crate::rules::labels::{LabelSet, labels_of};
use crate::rules::matcher::MatcherSet;
use crate::store::SilenceQueries;

/// Silences of some projects that are active at a time.
#[derive(Debug, Default)]
pub struct ActiveSilences(Vec<(Silence, MatcherSet)>);

impl ActiveSilences {
    /// Returns the silences of these projects that are active at `now`.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn of_projects<R: SilenceQueries + ?Sized>(
        repos: &mut R,
        projects: &[ProjectId],
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let mut silences = repos.list_silences(projects, now, Silence::MAX_UNEXPIRED)?;
        silences.retain(|silence| silence.state(now) == SilenceState::Active);
        Ok(Self::compiled(silences))
    }

    /// Takes silences as if all of them were active.
    pub fn compiled(silences: impl IntoIterator<Item = Silence>) -> Self {
        let compiled = silences.into_iter().filter_map(|silence| {
            // A stored silence was compiled before it was stored, with the same rules unless an older release did.
            let matchers = MatcherSet::of_silence(&silence.content.matchers).ok()?;
            Some((silence, matchers))
        });
        Self(compiled.collect())
    }

    /// True if there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the silences that hide an alert of a project with these labels.
    pub fn hiding<'s>(
        &'s self,
        project: ProjectId,
        labels: &'s LabelSet,
    ) -> impl Iterator<Item = &'s Silence> {
        let of_project = self
            .0
            .iter()
            .filter(move |(silence, _)| silence.content.project_id == project);
        let matching = of_project.filter(|(_, matchers)| matchers.matches(labels));
        matching.map(|(silence, _)| silence)
    }

    /// True if a silence hides the alert.
    pub fn hides(&self, alert: &Alert) -> bool {
        if self.is_empty() {
            return false;
        }
        let labels = labels_of(alert);
        self.hiding(alert.summary.project_id, &labels)
            .next()
            .is_some()
    }
}
