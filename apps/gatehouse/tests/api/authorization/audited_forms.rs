//! The audit log: every operation outside the API that changes something is recorded in it, or listed here with a reason.

use std::collections::BTreeSet;
use std::sync::Arc;

use accounts::AuditEventName;
use gatehouse::areas::api_help::declarations;
use web_conventions::operations::Declaration;

use super::forms::FormSenders;
use crate::support::TestServer;
use crate::support::rows::DatabaseReader;

/// The last release with registration tokens of runners, and a mail server, so that links to choose a password are written.
const CONFIGURATION: &str = "[api]\nrelease = \"16.11\"\n\
    [mail]\nhost = \"127.0.0.1\"\nport = 1\nsecurity = \"none\"\nfrom = \"gate@example.com\"\n";

/// Operations without a sample form, each with a test that shows its event.
const SHOWN_BY_OTHER_TESTS: [(&str, &str); 4] = [
    (
        "issueToken",
        "audit_events::the_first_token_for_a_password_is_an_authorization",
    ),
    (
        "putAlertmanagerSilence",
        "audit_events::silences_are_recorded_with_their_author_or_key",
    ),
    (
        "endAlertmanagerSilence",
        "audit_events::silences_are_recorded_with_their_author_or_key",
    ),
    (
        "resetForgottenPassword",
        "account_mail::a_forgotten_password_is_replaced_once_through_the_link_in_a_mail",
    ),
];

/// Alerts, heartbeats and errors that programs send. Receipts show what came.
const INTAKE: &str = "receiveMetricsAlerts receiveAlerts receiveNamedAlerts enqueueEvent createOpsgenieAlert changeOpsgenieAlert \
    updateOpsgenieAlert sendHeartbeat sendOpsgenieHeartbeat replaceOpsgenieHeartbeat updateOpsgenieHeartbeat \
    postAlertmanagerAlerts testAlertEndpointForm sendCheckIn collectEnvelope collectEvent collectPolicyReport \
    collectNetworkErrors";

/// Content, and not who may do something. The feed, notes and lists of messages show such changes.
const CONTENT: &str = "changeAlertsForm changeAlertForm createAlertNoteForm changeErrorsForm changeErrorForm deleteMonitorForm \
    createMilestoneForm changeMilestoneForm createLabelForm changeLabelForm createIssueForm changeIssueForm \
    createIssueNoteForm changeIssueNoteForm changeAlertIncidentForm createSnippetForm changeSnippetForm \
    createProjectSnippetForm changeProjectSnippetForm cancelQueueByForm";

/// The privacy of the own profile, a plain field like a name.
const PLAIN_FIELDS: &str = "changePrivacy";

/// Beginnings and ends of the sender's own session, and of an application's own tokens. Lists of sessions and of authorized
/// applications show what is left, and a burst of failed attempts is an event of its own.
const OWN_SIGN_INS: &str =
    "signIn enterSecondFactor signOut signOutByForm revokeToken createRegistryTokenByForm";

/// Operations that change nothing: a link for a forgotten password changes something only when it is used.
const NO_CHANGE: &str = "denyAuthorization introspectToken userinfoByForm requestPasswordReset";

/// The operations outside the API that may change something.
fn operations() -> impl Iterator<Item = Arc<Declaration>> {
    let all = declarations().into_iter();
    all.filter(|declared| declared.access.needs().is_none() && declared.method != "GET")
}

/// Number of entries of an event with an author and the address of the client.
fn count(rows: &mut DatabaseReader, event: AuditEventName) -> i64 {
    let number = event.number();
    rows.number(&format!(
        "SELECT count(*) FROM audit_entries WHERE event_name = {number} AND author_id IS NOT NULL \
         AND details LIKE '%\"ip_address\":\"127.0.0.1\"%'"
    ))
}

/// A new form that changes power or settings is recorded, or somebody decides here that it need not be.
#[test]
fn every_form_is_in_the_audit_log_or_listed_with_a_reason() {
    let server = TestServer::start_configured(CONFIGURATION);
    let senders = FormSenders::of(&server);
    let mut rows = DatabaseReader::of(&server);
    let (mut unrecorded, mut wrong) = (BTreeSet::new(), Vec::new());
    for declared in operations() {
        let Some(form) = senders.sample(declared.id) else {
            unrecorded.insert(declared.id);
            continue;
        };
        let event = form.event;
        let before = count(&mut rows, event);
        let answer = form.send(declared.method.as_str());
        if !(200..400).contains(&answer.status) {
            wrong.push(format!(
                "{}: {} {}",
                declared.id,
                answer.status,
                answer.text()
            ));
        } else if count(&mut rows, event) == before {
            wrong.push(format!("{}: no {}", declared.id, event.as_str()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let shown = SHOWN_BY_OTHER_TESTS.map(|(operation, _)| operation);
    let listed: BTreeSet<&str> = [INTAKE, CONTENT, PLAIN_FIELDS, OWN_SIGN_INS, NO_CHANGE]
        .into_iter()
        .flat_map(str::split_whitespace)
        .chain(shown)
        .collect();
    assert_eq!(unrecorded, listed);
}
