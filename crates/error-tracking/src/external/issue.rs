//! Errors in the format of a tracker's web API, which calls them issues.

use api_conventions::ids::{ErrorId, ErrorIid, IssueId, ProjectId};
use api_conventions::time::Timestamp;
use serde_json::{Value, json};

use super::failure::ExternalFailure;
use crate::event::{cut, plain_text, timestamp};
use crate::model::{ErrorFacts, ErrorState, Level, TagCount, TrackedError};
use crate::rules::status::{IgnoreLimits, Resolution, Status};
use crate::store::HourCount;

api_conventions::named! {
    /// Status of an error in a tracker.
    #[derive(Default)]
    pub enum ExternalStatus {
        /// The error is unresolved.
        #[default]
        Unresolved = 0, "unresolved";
        /// The error is resolved.
        Resolved = 1, "resolved";
        /// The error is ignored.
        Ignored = 2, "ignored";
    }
}

/// Error of a tracker.
/// All values but its id may be missing there.
#[derive(Debug, Clone, PartialEq)]
pub struct ExternalIssue {
    /// Id in the tracker.
    pub id: ErrorIid,
    /// Language or platform; empty if unknown.
    pub platform: String,
    /// Number of events per tag, as far as the tracker sends it.
    pub tags: Vec<TagCount>,
    /// Short id: `SHOP-12`.
    pub short_id: Option<String>,
    /// Title.
    pub title: String,
    /// Culprit.
    pub culprit: String,
    /// Message.
    pub message: Option<String>,
    /// Severity.
    pub level: Level,
    /// The logger.
    pub logger: Option<String>,
    /// Status.
    pub status: ExternalStatus,
    /// Number of events.
    pub count: u64,
    /// Number of affected users.
    pub user_count: u64,
    /// Time of the first event.
    pub first_seen: Option<Timestamp>,
    /// Time of the latest event.
    pub last_seen: Option<Timestamp>,
    /// URL of the error's page.
    pub permalink: Option<String>,
    /// Events by hour: seconds since 1970, and a count.
    pub frequency: Vec<(i64, u64)>,
    /// Project in the tracker.
    pub project: Option<IssueProject>,
    /// The release in which it was first seen.
    pub first_release: Option<String>,
    /// The release in which it was last seen.
    pub last_release: Option<String>,
}

/// Parses a list of errors.
///
/// # Errors
/// The response is not a list, or one of its errors has no id.
pub fn issues(answer: &Value) -> Result<Vec<ExternalIssue>, ExternalFailure> {
    let list = answer
        .as_array()
        .ok_or(ExternalFailure::UnexpectedResponse)?;
    list.iter().map(ExternalIssue::read).collect()
}

/// Project of an error, as trackers describe it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueProject {
    /// Id in the tracker.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Short name in URLs.
    pub slug: String,
}

impl ExternalIssue {
    /// Creates an error of which only the id is known.
    pub const fn new(id: ErrorIid) -> Self {
        Self {
            id,
            platform: String::new(),
            tags: Vec::new(),
            short_id: None,
            title: String::new(),
            culprit: String::new(),
            message: None,
            level: Level::Error,
            logger: None,
            status: ExternalStatus::Unresolved,
            count: 0,
            user_count: 0,
            first_seen: None,
            last_seen: None,
            permalink: None,
            frequency: Vec::new(),
            project: None,
            first_release: None,
            last_release: None,
        }
    }

    /// Parses one error.
    ///
    /// # Errors
    /// The response is not an object with a numeric id.
    pub fn read(answer: &Value) -> Result<Self, ExternalFailure> {
        if !answer.is_object() {
            return Err(ExternalFailure::UnexpectedResponse);
        }
        let id = answer.get("id").and_then(plain_text);
        let number = id.and_then(|id| id.parse::<i64>().ok());
        let id = number
            .filter(|id| *id > 0)
            .ok_or(ExternalFailure::MissingKeys("id"))?;
        let text_of = |of: &Value, name: &str, longest: usize| {
            let text = of.get(name).and_then(plain_text)?;
            Some(cut(&text, longest)).filter(|text| !text.is_empty())
        };
        let text = |name: &str, longest: usize| text_of(answer, name, longest);
        // Counts are sent as texts or as numbers.
        let count = |name: &str| {
            let count = answer.get(name).and_then(plain_text);
            count
                .and_then(|count| count.parse().ok())
                .unwrap_or_default()
        };
        let time = |name: &str| answer.get(name).and_then(timestamp);
        let release = |name: &str| text_of(answer.get(name)?, "version", 200);
        let metadata = answer.get("metadata");
        let project = answer.get("project").and_then(|project| {
            let text = |name: &str| text_of(project, name, 200);
            let slug = text("slug")?;
            Some(IssueProject {
                id: text("id")?,
                name: text("name").unwrap_or_else(|| slug.clone()),
                slug,
            })
        });
        Ok(Self {
            id: ErrorIid::new(id),
            platform: text("platform", 64).unwrap_or_default(),
            tags: tags(answer),
            short_id: text("shortId", 100),
            title: text("title", 1000).unwrap_or_default(),
            culprit: text("culprit", 500).unwrap_or_default(),
            message: metadata.and_then(|metadata| text_of(metadata, "value", 4096)),
            level: text("level", 32)
                .and_then(|level| Level::parse(&level))
                .unwrap_or_default(),
            logger: text("logger", 200),
            status: text("status", 32)
                .and_then(|status| ExternalStatus::parse(&status))
                .unwrap_or_default(),
            count: count("count"),
            user_count: count("userCount"),
            first_seen: time("firstSeen"),
            last_seen: time("lastSeen"),
            permalink: text("permalink", 2048).filter(|link| is_web_address(link)),
            frequency: frequency(answer),
            project,
            first_release: release("firstRelease"),
            last_release: release("lastRelease"),
        })
    }

    /// Converts the error to one of ours; unknown values are empty.
    /// `issue_id` is the issue of the project that is linked to it.
    pub fn to_tracked(&self, project_id: ProjectId, issue_id: Option<IssueId>) -> TrackedError {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let known = [self.first_seen, self.last_seen];
        let seen = |time: Option<Timestamp>| {
            let other = known.into_iter().flatten().next();
            time.or(other)
                .or(Timestamp::from_micros(0))
                .unwrap_or(Timestamp::MIN)
        };
        TrackedError {
            id: ErrorId::new(self.id.get()),
            iid: self.id,
            project_id,
            state: ErrorState {
                status: match self.status {
                    ExternalStatus::Unresolved => Status::Unresolved,
                    ExternalStatus::Resolved => Status::Resolved(Resolution::Now),
                    ExternalStatus::Ignored => Status::Ignored(IgnoreLimits::default()),
                },
                assignee_id: None,
                issue_id,
            },
            facts: ErrorFacts {
                title: self.title.clone(),
                culprit: self.culprit.clone(),
                location: None,
                level: self.level,
                platform: self.platform.clone(),
            },
            first_seen: seen(self.first_seen),
            last_seen: seen(self.last_seen),
            events: count(self.count),
            users: count(self.user_count),
            first_release: self.first_release.clone(),
            last_release: self.last_release.clone(),
            regressed_at: None,
        }
    }

    /// Events by hour, in the format of our own counts.
    pub fn hours(&self) -> Vec<HourCount> {
        let hours = self.frequency.iter();
        hours
            .filter_map(|(seconds, events)| {
                Some(HourCount {
                    hour: Timestamp::from_micros(seconds.checked_mul(1_000_000)?)?,
                    events: i64::try_from(*events).ok()?,
                })
            })
            .collect()
    }

    /// Writes the error as the web API does.
    pub fn to_json(&self) -> Value {
        let release = |release: &Option<String>| {
            let release = release.as_ref()?;
            let short = release
                .rsplit_once('@')
                .map_or(release.as_str(), |(_, short)| short);
            Some(json!({"version": release, "shortVersion": short}))
        };
        let project = self.project.as_ref().map(|project| {
            json!({
            "id": project.id, "name": project.name, "slug": project.slug,
            })
        });
        json!({
            "id": self.id.to_string(),
            "platform": self.platform,
            "shortId": self.short_id,
            "title": self.title,
            "culprit": self.culprit,
            "metadata": {"value": self.message},
            "level": self.level.as_str(),
            "logger": self.logger,
            "type": "error",
            "status": self.status.as_str(),
            "count": self.count.to_string(),
            "userCount": self.user_count,
            "firstSeen": self.first_seen.map(|time| time.to_string()),
            "lastSeen": self.last_seen.map(|time| time.to_string()),
            "permalink": self.permalink,
            "stats": {"24h": self.frequency},
            "project": project,
            "firstRelease": release(&self.first_release),
            "lastRelease": release(&self.last_release),
        })
    }
}

/// True if a page may show the link: not one that a browser would run.
fn is_web_address(link: &str) -> bool {
    url::Url::parse(link).is_ok_and(|link| matches!(link.scheme(), "http" | "https"))
}

/// Tag values sent with an error.
/// Some trackers count them only on a request for each tag.
fn tags(answer: &Value) -> Vec<TagCount> {
    const MAX_ENTRIES: usize = 500;
    let tags = answer.get("tags").and_then(Value::as_array);
    let counts = tags.into_iter().flatten().flat_map(|tag| {
        let name = tag.get("key").and_then(plain_text).unwrap_or_default();
        let values = tag.get("topValues").and_then(Value::as_array);
        let values = values.into_iter().flatten();
        values.filter_map(move |value| {
            Some(TagCount {
                name: cut(&name, 200),
                value: cut(&plain_text(value.get("value")?)?, 200),
                events: value.get("count")?.as_i64()?,
                last_seen: value.get("lastSeen").and_then(timestamp)?,
            })
        })
    });
    counts
        .filter(|count| !count.name.is_empty())
        .take(MAX_ENTRIES)
        .collect()
}

fn frequency(answer: &Value) -> Vec<(i64, u64)> {
    const MAX_ENTRIES: usize = 24 * 31;
    let hours = answer.get("stats").and_then(|stats| stats.get("24h"));
    let hours = hours.and_then(Value::as_array).into_iter().flatten();
    hours
        .take(MAX_ENTRIES)
        .filter_map(|hour| Some((hour.get(0)?.as_i64()?, hour.get(1)?.as_u64()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_read_from_whatever_of_it_is_there() {
        let whole = json!({
            "id": "11", "shortId": "SHOP-1", "title": "KeyError: 'id'", "culprit": "cart", "level": "fatal", "logger": "app",
            "status": "resolved", "count": "1200", "userCount": 7, "firstSeen": "2018-11-06T21:19:55Z",
            "lastSeen": "2018-11-06T21:20:55.5Z", "permalink": "https://t.example/acme/shop/issues/11/",
            "metadata": {"type": "KeyError", "value": "'id'"}, "stats": {"24h": [[1_541_455_200, 3], [1_541_458_800, 0], "x"]},
            "project": {"id": 2, "name": "Shop", "slug": "shop"}, "firstRelease": {"version": "shop@1.0", "lastCommit": null},
            "lastRelease": null,
        });
        let read = ExternalIssue::read(&whole).unwrap();
        assert_eq!(
            (read.count, read.user_count, read.level),
            (1200, 7, Level::Fatal)
        );
        assert_eq!(read.status, ExternalStatus::Resolved);
        assert_eq!(read.frequency, [(1_541_455_200, 3), (1_541_458_800, 0)]);
        assert_eq!(read.first_release.as_deref(), Some("shop@1.0"));
        assert_eq!(read.project.as_ref().unwrap().id, "2");
        let bare = ExternalIssue::read(
            &json!({"id": 12, "status": "reprocessing", "permalink": "javascript:alert(1)"}),
        );
        assert_eq!(bare.unwrap(), ExternalIssue::new(ErrorIid::new(12)));
    }

    #[test]
    fn a_written_issue_reads_back() {
        let time = Timestamp::parse_rfc3339("2026-11-20T10:00:00Z");
        let issue = ExternalIssue {
            id: ErrorIid::new(7),
            platform: "python".to_owned(),
            tags: Vec::new(),
            short_id: Some("SHOP-7".to_owned()),
            title: "E: x".to_owned(),
            culprit: "main".to_owned(),
            message: Some("x".to_owned()),
            level: Level::Warning,
            logger: None,
            status: ExternalStatus::Ignored,
            count: 5,
            user_count: 2,
            first_seen: time,
            last_seen: time,
            permalink: Some("https://t.example/7".to_owned()),
            frequency: vec![(1, 2)],
            project: Some(IssueProject {
                id: "1".to_owned(),
                name: "Shop".to_owned(),
                slug: "shop".to_owned(),
            }),
            first_release: Some("shop@1.0".to_owned()),
            last_release: None,
        };
        assert_eq!(ExternalIssue::read(&issue.to_json()).unwrap(), issue);
    }

    #[test]
    fn an_error_of_a_tracker_is_shown_as_one_of_ours() {
        let issue = ExternalIssue::read(&json!({
            "id": "7", "title": "E: x", "count": "9", "status": "ignored", "lastSeen": "2026-11-20T10:00:00Z",
            "stats": {"24h": [[1_541_455_200, 3]]}, "tags": [
                {"key": "os", "topValues": [{"value": "Linux", "count": 4, "lastSeen": "2026-11-20T10:00:00Z"}, {"value": "x"}]},
                {"key": "level", "totalValues": 9},
            ],
        }));
        let issue = issue.unwrap();
        let seen = Timestamp::parse_rfc3339("2026-11-20T10:00:00Z").unwrap();
        assert_eq!((issue.tags.len(), issue.tags[0].events), (1, 4));
        let hours = issue.hours();
        assert_eq!(
            (hours[0].hour.as_unix_seconds(), hours[0].events),
            (1_541_455_200, 3)
        );
        let error = issue.to_tracked(ProjectId::new(3), Some(IssueId::new(5)));
        assert_eq!(
            (error.iid.get(), error.project_id.get(), error.events),
            (7, 3, 9)
        );
        assert_eq!((error.first_seen, error.last_seen), (seen, seen));
        assert_eq!(error.state.status, Status::Ignored(IgnoreLimits::default()));
        assert_eq!(error.state.issue_id, Some(IssueId::new(5)));
    }

    #[test]
    fn an_answer_without_ids_is_refused() {
        let missing = Err(ExternalFailure::MissingKeys("id"));
        for id in [
            json!(null),
            json!("x"),
            json!(""),
            json!("-1"),
            json!("0"),
            json!("9".repeat(20)),
        ] {
            assert_eq!(ExternalIssue::read(&json!({"id": id})), missing, "{id}");
        }
        assert_eq!(
            issues(&json!({"detail": "x"})),
            Err(ExternalFailure::UnexpectedResponse)
        );
        assert_eq!(
            issues(&json!([7])),
            Err(ExternalFailure::UnexpectedResponse)
        );
        assert_eq!(issues(&json!([])), Ok(Vec::new()));
    }
}
