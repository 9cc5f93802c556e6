//! Selection of the events that count as contributions.

use std::collections::BTreeMap;

use crate::model::{Action, ContributionGroup, NewEvent, TargetType};

/// True if an event with this action and target type counts as a contribution of its author: a push, an issue that was
/// opened or closed, a merge request that was opened, closed, merged or approved, or a comment.
///
/// Alerts and errors do not count, because programs report them.
pub fn is_contribution(action: Action, kind: Option<TargetType>) -> bool {
    matches!(
        (action, kind),
        (Action::Pushed, None)
            | (Action::Commented, Some(TargetType::Note))
            | (Action::Created | Action::Closed, Some(TargetType::Issue))
            | (
                Action::Created | Action::Closed | Action::Merged | Action::Approved,
                Some(TargetType::MergeRequest),
            )
    )
}

/// Group in which an event counts; `None` if it is no contribution.
pub fn group_of(event: &NewEvent) -> Option<ContributionGroup> {
    let kind = event.target.as_ref().map(|target| target.kind);
    is_contribution(event.action, kind).then(|| ContributionGroup {
        user_id: event.author_id,
        day: event.created_at.date(),
        project_id: event.project_id,
        audience: event.audience,
        is_push: event.action == Action::Pushed,
    })
}

/// Counts the contributions among new events, in the order of their groups.
/// Every adapter adds these numbers to those that it has when it inserts the events.
pub fn count_contributions(events: &[NewEvent]) -> BTreeMap<ContributionGroup, u64> {
    let mut counts = BTreeMap::new();
    for group in events.iter().filter_map(group_of) {
        *counts.entry(group).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CustomTarget;

    #[test]
    fn work_of_people_counts_and_reports_of_programs_do_not() {
        let host = TargetType::Custom(CustomTarget::new(1000));
        for (action, kind, counts) in [
            (Action::Pushed, None, true),
            (Action::Created, None, false),
            (Action::Joined, None, false),
            (Action::Created, Some(TargetType::Issue), true),
            (Action::Closed, Some(TargetType::Issue), true),
            (Action::Reopened, Some(TargetType::Issue), false),
            (Action::Merged, Some(TargetType::MergeRequest), true),
            (Action::Approved, Some(TargetType::MergeRequest), true),
            (Action::Commented, Some(TargetType::Note), true),
            (Action::Commented, Some(TargetType::Issue), false),
            (Action::Created, Some(TargetType::Alert), false),
            (Action::Closed, Some(TargetType::Alert), false),
            (Action::Created, Some(TargetType::Error), false),
            (Action::Closed, Some(TargetType::Milestone), false),
            (Action::Created, Some(host), false),
        ] {
            assert_eq!(is_contribution(action, kind), counts, "{action:?} {kind:?}");
        }
    }
}
