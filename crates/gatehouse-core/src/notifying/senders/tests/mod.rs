//! Tests of the senders against local servers.

mod http;
mod http_server;
mod mail;
mod smtp_server;

use std::time::Duration;

use api_conventions::ids::{ChannelId, MessageId, ProjectId};
use api_conventions::time::Timestamp;
use notifications::flow::MessageDelivery;
use notifications::formats::{Place, PlaceProject};
use notifications::model::{
    ChannelKind, ChannelSettings, MessageContent, MessageEvent, MessageSeverity, MessageSubject,
    MessageSubjectKind, NewChannel, NewMessage,
};

use super::{MailTransport, MessageSenders};

/// Time of the attempts.
fn now() -> Timestamp {
    Timestamp::parse_rfc3339("2026-03-01T12:00:00Z").unwrap()
}

/// Senders that may contact every address, with a time limit that no test reaches by chance.
fn senders(mail: Option<MailTransport>) -> MessageSenders {
    MessageSenders::new(|_| true, mail, Duration::from_secs(10))
}

fn place() -> Place {
    Place {
        project: Some(PlaceProject {
            id: 3,
            name: "Group / Shop".to_owned(),
            path: "group/shop".to_owned(),
            url: "https://gatehouse.example/group/shop".to_owned(),
        }),
        host: "gatehouse.example".to_owned(),
        url: "https://gatehouse.example/group/shop/-/alert_management/7/details".to_owned(),
    }
}

/// First attempt of a message about an alert with this title, to a channel of this kind.
fn delivery(kind: ChannelKind, url: &str, recipient: &str, title: &str) -> MessageDelivery {
    let created_at = Timestamp::parse_rfc3339("2026-03-01T11:59:58Z").unwrap();
    let channel = NewChannel {
        owner: ProjectId::new(3).into(),
        kind,
        settings: ChannelSettings {
            url: url.to_owned(),
            recipient: recipient.to_owned(),
            ..ChannelSettings::new("On call")
        },
        secret: None,
        created_at,
    };
    let message = NewMessage {
        project_id: Some(ProjectId::new(3)),
        channel_id: ChannelId::new(5),
        event: MessageEvent::AlertOpened,
        subject: MessageSubject {
            kind: MessageSubjectKind::Alert,
            id: 12,
        },
        content: MessageContent {
            title: title.to_owned(),
            iid: Some(7),
            severity: Some(MessageSeverity::High),
            ..MessageContent::default()
        },
        created_at,
        send_at: created_at,
    };
    MessageDelivery {
        channel: channel.stored(ChannelId::new(5)),
        message: message.stored(MessageId::new(9)),
    }
}
