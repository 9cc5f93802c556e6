//! The audit log: every operation that changes something is recorded in it, or listed here with a reason.

use std::collections::BTreeSet;

use web_conventions::operations::Declaration;

use super::samples::{SampleRequest, sample};
use super::tested_callers::AuthorizationFixture;
use super::{operations, start};
use crate::support::archives::archive;
use crate::support::rows::DatabaseReader;

/// Operations that change content, and not who may do something. The feed, notes and receipts show such changes.
const CONTENT: &str = "createAlertNote updateAlertNote deleteAlertNote updateAlert updateAlerts createAlertIncident deleteAlertIncident \
    createIssue updateIssue deleteIssue createIssueNote updateIssueNote deleteIssueNote \
    createLabel updateLabel updateNamedLabel deleteLabel deleteNamedLabel \
    createMilestone updateMilestone deleteMilestone \
    createSnippet updateSnippet deleteSnippet createProjectSnippet updateProjectSnippet deleteProjectSnippet \
    createEnvironment updateEnvironment stopEnvironment deleteEnvironment createDeployment updateDeployment \
    deleteDeployment createPipeline setCommitStatus reportPush deleteRegistryRepository deleteRegistryTag \
    deleteRegistryTags updateError deleteError mergeError splitError deleteMonitor updateTrackerIssue replaceOwnStatus \
    updateOwnStatus testNotificationChannel testProjectHook testUserNotificationChannel";

/// Operations whose samples change a name, a description or the privacy of a profile. Visibility and the settings that
/// control access are recorded, which other tests show.
const PLAIN_FIELDS: &str = "updateProject updateGroup updateUser";

/// Operations that change nothing, or whose samples do: the project is not archived, and an export is recorded with its
/// download.
const NO_CHANGE: &str = "renderMarkdown listAlertPayloadFields verifyRunner requestJob listExternalProjects unarchiveProject startProjectExport";

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(str::to_owned)
}

/// True if the operation adds an entry to the audit log when an administrator performs it.
fn is_recorded(
    fixture: &AuthorizationFixture<'_>,
    rows: &mut DatabaseReader,
    declared: &Declaration,
) -> bool {
    let id = declared.id;
    let SampleRequest { path, body } = sample(fixture, id).unwrap();
    let entries = "SELECT count(*) FROM audit_entries";
    let before = rows.number(entries);
    // Some operations end the token of the request.
    let token = fixture.server.token("root", "api");
    let created = rows.number(entries) - before;
    let caller = crate::support::TestCaller::new(fixture.server.base_url(), Some(&token));
    let answer = if id == "importProject" {
        caller.post_form_data(&path, &[("path", &body)], Some(&archive(&[])))
    } else {
        let caller = caller.with("Content-Type", "application/json");
        caller.send(declared.method.as_str(), &path, body.as_bytes())
    };
    let status = answer.status;
    assert!(
        (200..300).contains(&status),
        "{id}: {status} {}",
        answer.text()
    );
    rows.number(entries) - before - created > 0
}

/// A new operation that changes power is recorded, or somebody decides here that it need not be.
#[test]
fn every_change_is_in_the_audit_log_or_listed_as_content() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let mut rows = DatabaseReader::of(&server);
    let changes = operations()
        .into_iter()
        .filter(|declared| declared.method != "GET");
    let mut unrecorded = BTreeSet::new();
    for declared in changes {
        if !is_recorded(&fixture, &mut rows, &declared) {
            unrecorded.insert(declared.id.to_owned());
        }
    }
    let listed: BTreeSet<String> = [CONTENT, PLAIN_FIELDS, NO_CHANGE]
        .into_iter()
        .flat_map(words)
        .collect();
    assert_eq!(unrecorded, listed);
}
