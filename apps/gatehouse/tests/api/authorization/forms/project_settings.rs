//! Forms about the settings of projects, about silences, and about notification channels.

use accounts::AuditEventName as Event;
use serde_json::json;

use super::super::samples::fresh;
use super::{FormSenders, PROJECT, PROJECT_API, SampleForm};

impl FormSenders<'_> {
    /// Forms about alerts: silences, endpoints, incidents, on-call schedules and error tracking.
    pub(super) fn of_alerts(&self, operation: &str) -> Option<SampleForm> {
        let alerts = |rest: &str| format!("{PROJECT}/-/alert_management/{rest}");
        let settings = |rest: &str| format!("{PROJECT}/-/settings/{rest}");
        let endpoint = [("name", "Sample"), ("type", "http")];
        let name = fresh("schedule");
        let schedule = [
            ("event", "settings"),
            ("name", &*name),
            ("time_zone", "UTC"),
            ("first_handoff", "2026-11-30"),
            ("handoff_time", "09:00"),
            ("turn_weeks", "2"),
            ("participants", "root"),
        ];
        let changed = |path: String, fields: &[(&'static str, &str)]| {
            self.by_admin(Event::SettingChanged, &path, fields)
        };
        Some(match operation {
            "changeSilencesForm" => {
                let fields = [
                    ("event", "save"),
                    ("matchers", "service=billing"),
                    ("seconds", "3600"),
                ];
                self.by_admin(Event::SilenceCreated, &alerts("silences"), &fields)
            }
            "createAlertEndpointForm" => changed(settings("alert_endpoints"), &endpoint),
            "changeAlertEndpointForm" => {
                changed(self.create_endpoint(&endpoint), &[("event", "disable")])
            }
            "changeAlertMappingForm" => {
                let fields = [
                    ("event", "save"),
                    ("sample", "{\"was\": \"Disk\"}"),
                    ("title_path", "was"),
                ];
                let path = format!("{}/mapping", self.create_endpoint(&endpoint));
                changed(path, &fields)
            }
            "changeErrorSettingsForm" => {
                changed(settings("error_tracking"), &[("event", "add_key")])
            }
            "changeIncidentSettingsForm" => {
                let template = fresh("template");
                let fields = [("severities[]", "critical"), ("template", &*template)];
                changed(settings("incidents"), &fields)
            }
            "createOnCallScheduleForm" => changed(alerts("on_call"), &schedule),
            "changeOnCallScheduleForm" => changed(
                alerts(&format!("on_call/{}", self.create_schedule())),
                &schedule,
            ),
            "changeOnCallOverridesForm" => {
                let fields = [
                    ("event", "add"),
                    ("user", "root"),
                    ("from", "2099-01-01T09:00"),
                    ("until", "2099-01-02T09:00"),
                ];
                let id = self.create_schedule();
                changed(alerts(&format!("on_call/{id}/overrides")), &fields)
            }
            _ => return None,
        })
    }

    /// Forms about notification channels of projects and users.
    pub(super) fn of_channels(&self, operation: &str) -> Option<SampleForm> {
        const OWN_API: &str = "/api/v4/user/notification_channels";
        let of_project = format!("{PROJECT}/-/settings/notifications");
        let own = "/profile/notifications";
        let new = [
            ("kind", "webhook"),
            ("name", "Sample"),
            ("url", "http://127.0.0.1:1/"),
            ("hourly_limit", "60"),
        ];
        let disable = [("event", "disable")];
        let (path, fields) = match operation {
            "createNotificationChannelForm" => (of_project, &new[..]),
            "changeNotificationChannelForm" => {
                let id = self.create_channel(&format!("{PROJECT_API}/notification_channels"));
                (format!("{of_project}/{id}"), &disable[..])
            }
            "createOwnNotificationChannelForm" => (own.to_owned(), &new[..]),
            "changeOwnNotificationChannelForm" => (
                format!("{own}/{}", self.create_channel(OWN_API)),
                &disable[..],
            ),
            _ => return None,
        };
        Some(self.by_admin(Event::SettingChanged, &path, fields))
    }

    /// Creates an alert endpoint, and returns the path of its page.
    fn create_endpoint(&self, fields: &[(&str, &str)]) -> String {
        let list = format!("{PROJECT}/-/settings/alert_endpoints");
        let created = self.admin.clone().submit("/profile", &list, fields);
        assert_eq!(created.status, 303, "{}", created.text());
        created.header("location").unwrap().to_owned()
    }

    /// Creates an on-call schedule over the API, and returns its id.
    fn create_schedule(&self) -> String {
        let admin = self.server.admin();
        let new = json!({
            "name": fresh("schedule"),
            "time_zone": "UTC",
            "first_handoff": "2026-11-30",
            "handoff_time": "09:00",
            "participant_ids": [self.server.demo["admin"]["id"]],
        });
        let created = admin.post(&format!("{PROJECT_API}/on_call_schedules"), &new);
        created.expect(201)["id"].to_string()
    }

    /// Creates a channel at this path of the API, and returns its id.
    fn create_channel(&self, path: &str) -> String {
        let new =
            json!({ "kind": "webhook", "name": fresh("channel"), "url": "http://127.0.0.1:1/" });
        let created = self.server.admin().post(path, &new).expect(201);
        created["id"].to_string()
    }
}
