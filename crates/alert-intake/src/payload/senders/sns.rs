//! Amazon SNS: an envelope around the message of another service.

use serde_json::Value;

use super::{End, SenderAlert, SenderBody, recognise};
use crate::model::SeverityTable;
use crate::payload::fields::{has, owned, text, time};
use crate::rules::details::is_web_link;
use crate::rules::exact::ExactJson;
use crate::rules::state::{self, ReportedState};

const TOOL: &str = "Amazon SNS";

/// Recognises an envelope by its topic and its type. A subscription is a notice with its link, which this server never
/// opens: the owner of the topic confirms it.
pub(super) fn read(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let kind = text(body, &["Type"]).filter(|_| has(body, &["TopicArn", "Message"]))?;
    match &*kind {
        "Notification" => notification(body, severities),
        "SubscriptionConfirmation" => Some(SenderBody::Notice(subscription(body))),
        "UnsubscribeConfirmation" => Some(SenderBody::Notice(format!(
            "{TOOL} ended the subscription of the topic {}",
            owned(body, &["TopicArn"])
        ))),
        _ => None,
    }
}

fn subscription(body: &Value) -> String {
    let topic = owned(body, &["TopicArn"]);
    let link = text(body, &["SubscribeURL"]).filter(|link| is_web_link(link));
    match link {
        Some(link) => format!(
            "{TOOL} wants to subscribe this endpoint to {topic}. Open this link to confirm: {link}"
        ),
        None => format!(
            "{TOOL} wants to subscribe this endpoint to {topic}, but the link to confirm is missing"
        ),
    }
}

/// Reads the message: the body of a known sender, or a text whose state is in its subject.
fn notification(body: &Value, severities: &SeverityTable) -> Option<SenderBody> {
    let message = text(body, &["Message"])?;
    let inner = message
        .starts_with('{')
        .then(|| ExactJson::parse(&message).ok())
        .flatten();
    // An envelope in an envelope is no known sender: recursion ends here.
    let inner = inner.filter(|inner| inner.tree().get("TopicArn").is_none());
    if let Some(known) = inner
        .as_ref()
        .and_then(|inner| recognise(inner.tree(), severities))
    {
        return Some(known);
    }
    let subject = owned(body, &["Subject"]);
    let state_of = |text: &str| state::parse(text.split([':', '-']).next().unwrap_or_default());
    let inner_state = inner.as_ref().and_then(|inner| {
        text(inner.tree(), &["status"]).or_else(|| text(inner.tree(), &["state"]))
    });
    let state = inner_state
        .and_then(|word| state::parse(&word))
        .or_else(|| state_of(&subject));
    let title = Some(subject.clone()).filter(|subject| !subject.is_empty());
    let mut alert = SenderAlert {
        tool: TOOL,
        title: title.unwrap_or_else(|| message.lines().next().unwrap_or_default().to_owned()),
        description: message.clone().into_owned(),
        key: vec![
            owned(body, &["TopicArn"]),
            without_state(&subject, &message),
        ],
        ..SenderAlert::default()
    };
    match state {
        Some(ReportedState::Over) => alert.end = Some(End::of(time(body, &["Timestamp"]))),
        Some(ReportedState::Noted) => return Some(super::noted(TOOL, &subject)),
        Some(ReportedState::Firing) | None => alert.started_at = time(body, &["Timestamp"]),
    }
    Some(alert.into_body())
}

/// Returns the subject, or else the message, without the state before its first colon.
fn without_state(subject: &str, message: &str) -> String {
    let text = if subject.is_empty() { message } else { subject };
    match text.split_once(':') {
        Some((state, rest)) if state::parse(state).is_some() => rest.trim().to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn envelope(subject: &str, message: &str) -> Option<SenderBody> {
        read(
            &json!({"Type": "Notification", "TopicArn": "arn:t", "Subject": subject, "Message": message}),
            &SeverityTable::default(),
        )
    }

    #[test]
    fn a_text_opens_and_ends_by_its_subject() {
        let mut keys = Vec::new();
        for (subject, is_over) in [("ALARM: disk of db1", false), ("OK: disk of db1", true)] {
            let Some(SenderBody::Alert(alert)) = envelope(subject, "words") else {
                panic!("{subject}");
            };
            assert_eq!(alert.end.is_some(), is_over, "{subject}");
            keys.push(alert.key);
        }
        assert_eq!(keys[0], keys[1]);
    }

    #[test]
    fn a_subscription_shows_only_links_of_the_web() {
        let of = |link: &str| {
            let body = json!({"Type": "SubscriptionConfirmation", "TopicArn": "arn:t", "Message": "m", "SubscribeURL": link});
            match read(&body, &SeverityTable::default()) {
                Some(SenderBody::Notice(note)) => note,
                other => panic!("{other:?}"),
            }
        };
        assert!(of("https://sns.example/confirm").ends_with("https://sns.example/confirm"));
        assert!(!of("javascript:alert(1)").contains("javascript"));
    }

    #[test]
    fn envelopes_do_not_nest() {
        let inner =
            json!({"Type": "Notification", "TopicArn": "arn:t", "Message": "{}"}).to_string();
        let Some(SenderBody::Alert(alert)) = envelope("", &inner) else {
            panic!("a text is an alert");
        };
        assert_eq!(alert.tool, TOOL);
    }
}
