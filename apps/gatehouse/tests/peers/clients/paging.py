"""The clients of PagerDuty and Opsgenie, unmodified: trigger, acknowledge and close an alert each."""

import sys

import opsgenie_sdk
import pagerduty

base, key, step = sys.argv[1:]

# The client refuses a URL without TLS when it is created, and the server of the test has no certificate.
events = pagerduty.EventsApiV2Client(key, base_url=base.replace("http:", "https:"))
events._url = base
configuration = opsgenie_sdk.Configuration()
configuration.api_key["Authorization"] = key
configuration.host = base
alerts = opsgenie_sdk.AlertApi(opsgenie_sdk.ApiClient(configuration))

if step == "open":
    assert events.trigger("Events fire", "paged", dedup_key="e1", severity="error") == "e1"
    created = alerts.create_alert(opsgenie_sdk.CreateAlertPayload(message="Requests fire", alias="r1", priority="P2"))
    outcome = alerts.get_request_status(created.request_id).data
    assert outcome.is_success and outcome.alias == "r1", outcome
elif step == "acknowledge":
    assert events.acknowledge("e1") == "e1"
    alerts.acknowledge_alert("r1", identifier_type="alias", acknowledge_alert_payload=opsgenie_sdk.AcknowledgeAlertPayload(note="seen"))
else:
    assert events.resolve("e1") == "e1"
    alerts.close_alert("r1", identifier_type="alias", close_alert_payload=opsgenie_sdk.CloseAlertPayload(source="test"))
