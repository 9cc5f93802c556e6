//! Labels and milestones of projects.

use api_conventions::ids::{LabelId, MilestoneId, MilestoneIid};
use api_conventions::page::SortOrder;
use projects::{Label, LabelContent, LabelFilter, Milestone, MilestoneContent, MilestoneFilter};

use crate::records::{Kind, Records};
use crate::state::State;
use crate::table::any_holds;

impl Kind for LabelContent {
    type Key = String;
    const SORT: SortOrder = SortOrder::Ascending;

    fn records(state: &State) -> &Records<Self> {
        &state.labels
    }

    fn records_mut(state: &mut State) -> &mut Records<Self> {
        &mut state.labels
    }

    fn number(_: i64) {}

    fn key(&self) -> String {
        self.title.clone()
    }

    fn is_listed(Label { content, .. }: &Label, filter: &LabelFilter) -> bool {
        let texts = [
            &*content.title,
            content.description.as_deref().unwrap_or_default(),
        ];
        is(filter.title.as_ref(), &content.title)
            && filter
                .search
                .as_ref()
                .is_none_or(|part| any_holds(&texts, part))
    }

    fn clashes(&self, other: &Self) -> bool {
        self.title == other.title
    }

    fn forget(state: &mut State, id: LabelId) {
        state.issues.forget_label(id);
    }
}

impl Kind for MilestoneContent {
    type Key = ();
    const SORT: SortOrder = SortOrder::Descending;

    fn records(state: &State) -> &Records<Self> {
        &state.milestones
    }

    fn records_mut(state: &mut State) -> &mut Records<Self> {
        &mut state.milestones
    }

    fn number(number: i64) -> MilestoneIid {
        MilestoneIid::new(number)
    }

    fn key(&self) {}

    fn is_listed(milestone: &Milestone, filter: &MilestoneFilter) -> bool {
        let Milestone {
            content,
            iid,
            updated_at,
            ..
        } = milestone;
        let texts = [
            &*content.title,
            content.description.as_deref().unwrap_or_default(),
        ];
        (filter.iids.is_empty() || filter.iids.contains(iid))
            && is(filter.state.as_ref(), &content.state)
            && is(filter.title.as_ref(), &content.title)
            && filter
                .search
                .as_ref()
                .is_none_or(|part| any_holds(&texts, part))
            && filter
                .search_title
                .as_ref()
                .is_none_or(|part| any_holds(&[&content.title], part))
            && filter
                .updated_after
                .is_none_or(|after| *updated_at >= after)
            && filter
                .updated_before
                .is_none_or(|before| *updated_at <= before)
    }

    fn clashes(&self, other: &Self) -> bool {
        self.title == other.title
    }

    fn forget(state: &mut State, id: MilestoneId) {
        state.issues.forget_milestone(id);
    }
}

/// Whether a condition on one value holds.
fn is<T: PartialEq>(wanted: Option<&T>, value: &T) -> bool {
    wanted.is_none_or(|wanted| wanted == value)
}
