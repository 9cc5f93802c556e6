//! Quick actions in user text: lines such as `/close`, which other servers run instead of storing them.

/// Actions that clients and users know from other servers.
#[rustfmt::skip]
const ACTIONS: [&str; 62] = [
    "add_contacts", "assign", "award", "blocked_by", "blocks", "board_move", "checkin_reminder", "clear_health_status",
    "clear_weight", "clone", "close", "confidential", "copy_metadata", "create_merge_request", "done", "due", "duplicate", "epic",
    "estimate", "estimate_time", "health_status", "invite_email", "iteration", "label", "link", "lock", "milestone", "move",
    "page", "promote", "promote_to_incident", "publish", "react", "reassign", "relabel", "relate", "remove_contacts",
    "remove_due_date", "remove_email", "remove_epic", "remove_estimate", "remove_iteration", "remove_milestone",
    "remove_time_spent", "remove_zoom", "reopen", "severity", "spend", "spend_time", "spent", "subscribe", "tag", "timeline",
    "title", "todo", "unassign", "unlabel", "unlink", "unlock", "unsubscribe", "weight", "zoom",
];

/// First quick action in a Markdown text, without its slash.
/// Code blocks are skipped.
pub(crate) fn find(text: &str) -> Option<&'static str> {
    lines(text).find_map(|(_, action)| action)
}

/// Escapes the quick actions in a Markdown text that nobody typed, so that they are shown as text and never refused.
pub fn escape_actions(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (line, action) in lines(text) {
        if action.is_some() {
            escaped.push('\\');
        }
        escaped.push_str(line);
    }
    escaped
}

/// Lines of a Markdown text with their ends, each with its quick action if it is one.
fn lines(text: &str) -> impl Iterator<Item = (&str, Option<&'static str>)> {
    let mut fence: Option<&str> = None;
    text.split_inclusive('\n').map(move |line| {
        let start = line.trim_start_matches(' ');
        let is_indented = line.len() - start.len() >= 4;
        let marks = ["```", "~~~"]
            .into_iter()
            .find(|marks| start.starts_with(marks));
        let mut action = None;
        match (fence, marks) {
            (None, Some(marks)) if !is_indented => fence = Some(marks),
            (Some(open), Some(marks)) if open == marks => fence = None,
            (None, None) if !is_indented => action = action_of(line),
            _ => {}
        }
        (line, action)
    })
}

fn action_of(line: &str) -> Option<&'static str> {
    let word = line.strip_prefix('/')?.split(char::is_whitespace).next()?;
    let mut actions = ACTIONS.iter();
    actions
        .find(|action| action.eq_ignore_ascii_case(word))
        .copied()
}

/// Error text for a text that contains a quick action.
pub(crate) fn refusal(text: &str) -> Option<String> {
    let action = find(text)?;
    Some(format!(
        "contains the quick action /{action}, which this server does not support: edit the issue instead, or put the line in a code block"
    ))
}

#[cfg(test)]
mod tests {
    use super::{escape_actions, find};

    #[test]
    fn lines_that_other_servers_run_are_found() {
        for (text, expected) in [
            ("/close", Some("close")),
            ("Done.\n\n/CLOSE  \nBye", Some("close")),
            ("Done.\r\n/label ~bug\r\n", Some("label")),
            ("/etc/close is there", None),
            ("/closed", None),
            ("/ close", None),
            ("see /close", None),
            ("/cc @ann", None),
            ("```\n/close\n```", None),
            ("~~~\n```\n/close\n~~~\n/reopen", Some("reopen")),
            ("    ```\n/close", Some("close")),
            ("    /close", None),
            ("> /close", None),
            ("", None),
        ] {
            assert_eq!(find(text), expected, "{text:?}");
        }
    }
    #[test]
    fn escaped_actions_are_no_longer_found_and_other_lines_stay() {
        let text = "Done.\r\n/close now\r\n```\n/close\n```\n/tmp/x\n/LABEL ~a";
        let escaped = escape_actions(text);
        let expected = "Done.\r\n\\/close now\r\n```\n/close\n```\n/tmp/x\n\\/LABEL ~a";
        assert_eq!(escaped, expected);
        assert_eq!(find(&escaped), None);
    }
}
