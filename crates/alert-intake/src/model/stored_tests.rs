//! Stored forms of values: round trips and stability.

use std::fmt::Debug;

use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;

fn comes_back<T: Debug + PartialEq + Serialize + DeserializeOwned>(value: &T) -> String {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    text
}

fn alert(status: AlertStatus) -> NewAlert {
    let summary = AlertSummary {
        id: AlertId::new(i64::MAX),
        iid: AlertIid::new(1),
        project_id: ProjectId::new(2),
        integration_id: IntegrationId::new(3),
        source: Source::Metrics,
        title: "Disk \"full\"".to_owned(),
        description: String::new(),
        severity: Severity::High,
        status,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: vec!["a".to_owned()],
        environment_name: None,
        assignee_id: Some(api_conventions::ids::UserId::new(4)),
        started_at: Timestamp::MIN,
        last_start: Start::arrival(Timestamp::MAX),
        occurrences: 1,
        deliveries: 1,
        flaps: 0,
        stale_at: None,
        created_at: Timestamp::MIN,
        updated_at: Timestamp::MAX,
    };
    let payload = "{}".to_owned();
    NewAlert {
        alert: Alert {
            summary,
            payload,
            latest_payload: None,
        },
        identity: AlertIdentity::from_bytes([7; 32]),
        report: ReportDigest::from_number(-3),
    }
}

#[test]
fn alerts_come_back_with_every_status() {
    let ended_at = Timestamp::MAX;
    for status in [
        AlertStatus::Triggered,
        AlertStatus::Acknowledged,
        AlertStatus::Resolved { ended_at },
        AlertStatus::Ignored,
    ] {
        comes_back(&alert(status));
    }
    comes_back(&AlertProgress {
        id: AlertId::new(1),
        occurrences: 1,
        deliveries: 2,
        flaps: 0,
        stale_at: None,
        last_start: Start::stated(Timestamp::MIN),
        resolved_at: Some(ended_at),
        confirms_end: false,
        updated_at: ended_at,
    });
}

/// Existing rows have these forms; a new form needs code that still reads them.
#[test]
fn stored_forms_are_stable() {
    let ended_at = Timestamp::MAX;
    assert_eq!(comes_back(&Severity::Critical), "0");
    assert_eq!(comes_back(&Source::Metrics), "1");
    assert_eq!(comes_back(&AlertStatus::Ignored), r#""ignored""#);
    assert_eq!(comes_back(&SenderNetwork::Loopback), r#""loopback""#);
    assert_eq!(
        comes_back(&AlertStatus::Resolved { ended_at }),
        r#"{"resolved":{"ended_at":253402300799999999}}"#
    );
    assert!(serde_json::from_str::<Severity>("6").is_err());
    assert!(serde_json::from_str::<AlertStatus>(r#""resolved""#).is_err());
}

#[test]
fn endpoints_receipts_and_answers_come_back() {
    comes_back(&Integration {
        id: IntegrationId::new(1),
        project_id: ProjectId::new(2),
        source: Source::Generic,
        name: "Disks".to_owned(),
        endpoint_identifier: "disks".to_owned(),
        active: false,
        key: SecretDigest::of("the key"),
        retired_key: Some(RetiredKey {
            key: SecretDigest::of("the old key"),
            valid_until: Timestamp::MAX,
        }),
        settings: IntegrationSettings {
            ignored_labels: vec!["replica".to_owned()],
            ..IntegrationSettings::default()
        },
        created_at: Timestamp::MIN,
    });
    let receipt = NewReceipt {
        project_id: ProjectId::new(2),
        integration_id: IntegrationId::new(1),
        received_at: Timestamp::MIN,
        body_bytes: i64::MAX,
        counts: ReceiptCounts::default(),
        context: SenderContext::of_sender(Some("curl")),
        refusal: Some(DeliveryRefusal::new(
            400,
            "no JSON",
            Some(b"{"),
            SenderNetwork::Unknown,
        )),
    };
    comes_back(&Receipt {
        id: api_conventions::ids::ReceiptId::new(9),
        receipt,
    });
    comes_back(&Silence {
        id: api_conventions::ids::SilenceId::new(7),
        content: NewSilence {
            project_id: ProjectId::new(2),
            matchers: vec![LabelMatcher::parse("job!~\"a|b\"").unwrap()],
            starts_at: Timestamp::MIN,
            ends_at: Timestamp::MAX,
            created_by: "erin".to_owned(),
            comment: String::new(),
            updated_at: Timestamp::MIN,
            due_at: None,
        },
    });
    comes_back(&AlertExpiry {
        project_id: ProjectId::new(2),
        identity: AlertIdentity::from_bytes([7; 32]),
        integration_id: IntegrationId::new(1),
        expires_at: Timestamp::MAX,
    });
    comes_back(&IdempotencyRecord {
        integration_id: IntegrationId::new(1),
        key: DeliveryKey {
            key: ContentDigest::of(b"key"),
            body: ContentDigest::of(b"body"),
        },
        alerts: vec![(AlertIid::new(1), "Disk full".to_owned())],
        received_at: Timestamp::MAX,
    });
}
