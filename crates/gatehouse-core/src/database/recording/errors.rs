//! Error tracking.

use std::ops::Range;

use accounts::Revoked;
use api_conventions::ids::{
    AttachmentId, ClientKeyId, ErrorEventId, ErrorId, ErrorIid, ErrorKeyId, IssueId, ProjectId,
};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::time::{CalendarDate, Timestamp};
use error_tracking::grouping::GroupKey;
use error_tracking::model::{
    ClientKey, ClientKeyChange, ErrorComment, ErrorEvent, ErrorEventSummary, ErrorFilter, ErrorKey,
    ErrorState, EventId, NewClientKey, PublicKey, SessionSum, Settings, StoredAttachment, TagCount,
    Tally, TrackedError, UserMark,
};
use error_tracking::store::{
    CollectRepository, ErrorProgress, ErrorQueries, ErrorRepository, EventPlace, EventPosition,
    FormerNumber, HourCount, KnownError, NewAttachment, NewComment, NewError, NewErrorEvent,
    SessionFilter, SettingsQueries, SettingsRepository, TagProgress, TallyFilter,
};
use storage::{Locked, StoreError};

#[cfg(test)]
use super::Looking;
use super::{Recording, ends_of, if_done, nothing, recorded};

recorded! {
    queries SettingsQueries {
        fn find_error_settings(project: ProjectId) -> Option<Settings>;
        fn find_client_key(key: &PublicKey) -> Option<ClientKey>;
        fn list_error_settings(beyond: Option<ProjectId>, limit: usize) -> Vec<Settings>;
        fn list_client_keys(project: ProjectId, page: OffsetPage) -> Page<ClientKey>;
        fn list_external_links(project: ProjectId, errors: &[ErrorIid]) -> Vec<(ErrorIid, IssueId)>;
    }
    queries ErrorQueries {
        fn find_error(project: ProjectId, iid: ErrorIid) -> Option<TrackedError>;
        fn find_error_by_id(id: ErrorId) -> Option<TrackedError>;
        fn find_merged_error(merged: FormerNumber) -> Option<TrackedError>;
        fn list_errors(filter: &ErrorFilter, page: OffsetPage) -> Page<TrackedError>;
        fn walk_errors(filter: &ErrorFilter, beyond: Option<ErrorId>, page: KeysetPage) -> Stretch<TrackedError>;
        fn count_errors(project: ProjectId) -> [i64; 3];
        fn list_error_keys(error: ErrorId) -> Vec<ErrorKey>;
        fn find_error_event(error: ErrorId, position: EventPosition) -> Option<ErrorEvent>;
        fn list_errors_of_event(event: EventId, project: Option<ProjectId>) -> Vec<(ProjectId, ErrorId)>;
        fn find_event_place(error: ErrorId, event: ErrorEventId) -> EventPlace;
        fn list_error_events(error: ErrorId, page: OffsetPage) -> Page<ErrorEventSummary>;
        fn list_error_tags(error: ErrorId, values: usize) -> Vec<TagCount>;
        fn list_error_hours(errors: &[ErrorId], from: Timestamp) -> Vec<(ErrorId, HourCount)>;
        fn list_error_comments(error: ErrorId, page: OffsetPage) -> Page<ErrorComment>;
        fn list_attachments(project: ProjectId, event: EventId) -> Vec<StoredAttachment>;
        fn find_attachment(project: ProjectId, event: EventId, id: AttachmentId) -> Option<(StoredAttachment, Vec<u8>)>;
        fn list_tallies(filter: &TallyFilter) -> Vec<Tally>;
        fn list_session_sums(filter: &SessionFilter, limit: usize) -> Vec<SessionSum>;
        fn list_releases(project: ProjectId, limit: usize) -> Vec<(String, Timestamp)>;
    }
    changes SettingsRepository {
        fn lock_error_settings(project: ProjectId) -> (Locked<Settings>, bool), ends nothing;
        fn put_error_settings(locked: Locked<Settings>, settings: &Settings) -> (),
            ends |()| if_done(true, Revoked::ErrorTracking(settings.project_id));
        fn put_external_link(locked: &Locked<Settings>, error: ErrorIid, issue: Option<IssueId>) -> (), ends nothing;
        fn delete_external_links(locked: &Locked<Settings>) -> (), ends nothing;
        fn insert_client_key(new: &NewClientKey) -> ClientKey, ends nothing;
        fn update_client_key(
            project: ProjectId, id: ClientKeyId, change: ClientKeyChange,
        ) -> Option<ClientKey>, ends |key| if_done(key.is_some(), Revoked::ErrorTracking(project));
        fn delete_client_key(project: ProjectId, id: ClientKeyId) -> Option<ClientKey>,
            ends |key| if_done(key.is_some(), Revoked::ErrorTracking(project));
    }
    changes ErrorRepository {
        fn lock_error(project: ProjectId, iid: ErrorIid) -> Option<Locked<TrackedError>>, ends nothing;
        fn update_error(error: Locked<TrackedError>, state: &ErrorState) -> TrackedError, ends nothing;
        fn merge_errors(from: Locked<TrackedError>, to: Locked<TrackedError>) -> TrackedError, ends nothing;
        fn split_error_key(error: Locked<TrackedError>, key: ErrorKeyId) -> TrackedError, ends nothing;
        fn delete_error(error: Locked<TrackedError>) -> (), ends nothing;
        fn unlink_issue(issue: IssueId) -> Option<ErrorId>, ends nothing;
        fn lock_error_of_issue(project: ProjectId, issue: IssueId) -> Option<Locked<TrackedError>>, ends nothing;
        fn delete_errors_of(project: ProjectId, limit: usize) -> usize, ends nothing;
    }
    changes CollectRepository {
        fn lock_errors(projects: &[ProjectId]) -> (), ends nothing;
        fn list_stored_events(events: &[(ProjectId, EventId)]) -> Vec<(ProjectId, EventId)>, ends nothing;
        fn list_known_errors(keys: &[(ProjectId, GroupKey)]) -> Vec<KnownError>, ends nothing;
        fn reserve_error_numbers(wanted: &[(ProjectId, i64)]) -> Vec<ErrorIid>, ends nothing;
        fn insert_errors(errors: &[NewError]) -> Vec<KnownError>, ends nothing;
        fn insert_error_users(seen: &[(ErrorKeyId, UserMark)]) -> Vec<(ErrorKeyId, UserMark)>, ends nothing;
        fn insert_releases(seen: &[(ProjectId, String, Timestamp)]) -> Vec<Timestamp>, ends nothing;
        fn find_release(project: ProjectId, release: &str) -> Option<Timestamp>, ends nothing;
        fn insert_error_events(events: &[NewErrorEvent<'_>]) -> (), ends nothing;
        fn advance_errors(progress: &[ErrorProgress]) -> (), ends nothing;
        fn advance_error_keys(events: &[(ErrorKeyId, i64)]) -> (), ends nothing;
        fn thin_error_events(key: ErrorKeyId, numbers: Range<i64>, worth: u32) -> usize, ends nothing;
        fn forget_error_events(key: ErrorKeyId, below: i64, limit: usize) -> usize, ends nothing;
        fn count_stored_events(days: &[(ProjectId, CalendarDate)]) -> Vec<i64>, ends nothing;
        fn delete_old_events(project: ProjectId, before: Timestamp, limit: usize) -> usize, ends nothing;
        fn add_error_hours(hours: &[(ErrorKeyId, HourCount)]) -> (), ends nothing;
        fn add_error_tags(tags: &[TagProgress]) -> (), ends nothing;
        fn add_tallies(tallies: &[Tally]) -> (), ends nothing;
        fn add_session_sums(sums: &[SessionSum]) -> (), ends nothing;
        fn insert_error_comments(comments: &[NewComment<'_>]) -> (), ends nothing;
        fn insert_attachments(files: &[NewAttachment<'_>]) -> (), ends nothing;
    }
}
