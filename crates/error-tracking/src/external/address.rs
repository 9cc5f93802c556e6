//! Addresses of an external tracker.

use std::fmt;

use api_conventions::ids::ErrorIid;
use serde_json::Value;
use url::Url;

use super::failure::ExternalFailure;
use super::query::write_query;
use super::tracker::CursorPage;
use crate::model::{ErrorFilter, ErrorOrder};
use crate::store::EventPosition;

/// Part of the API's path before the organization and the project.
const PROJECTS: &str = "/api/0/projects/";
/// The longest address, in characters.
const MAX_LENGTH: usize = 255;

/// The address of a project in a tracker's API: `https://host/api/0/projects/organization/project`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiUrl {
    url: Url,
    /// Part of the path before the API.
    root: String,
    organization: String,
    project: String,
}

/// Reason why a text is not such an address.
/// The messages are those of the validation (`is invalid`, `is a required field`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApiUrlError {
    /// The text is not an address of such an API.
    #[error("is invalid")]
    Invalid,
    /// The organization or the project is missing.
    #[error("is a required field")]
    ProjectMissing,
}

impl ApiUrl {
    /// Parses an address.
    /// Does not decide if it may be reached.
    ///
    /// # Errors
    /// The address is too long, not ASCII, of another scheme than HTTP, has credentials, a query or a fragment, or is
    /// not that of a project.
    pub fn parse(text: &str) -> Result<Self, ApiUrlError> {
        let mut url = plain(text)?;
        let path = url.path().to_owned();
        let (root, rest) = match path.split_once(PROJECTS) {
            Some((root, rest)) => (root, rest),
            // The address of all projects, with or without its trailing slash.
            None if path.ends_with(PROJECTS.trim_end_matches('/')) => {
                return Err(ApiUrlError::ProjectMissing);
            }
            None => return Err(ApiUrlError::Invalid),
        };
        let mut parts = rest.trim_end_matches('/').split('/');
        let [organization, project] = [parts.next(), parts.next()].map(Option::unwrap_or_default);
        if organization.is_empty() || project.is_empty() {
            return Err(ApiUrlError::ProjectMissing);
        }
        if parts.next().is_some() {
            return Err(ApiUrlError::Invalid);
        }
        let (organization, project) = (organization.to_owned(), project.to_owned());
        url.set_path(&format!("{root}{PROJECTS}{organization}/{project}/"));
        Ok(Self {
            url,
            root: root.to_owned(),
            organization,
            project,
        })
    }

    /// Web page of the project.
    /// An organization may be nested in others, and its page then has their slashes.
    pub fn page(&self) -> Url {
        let organization = self.organization.replace("%2F", "/");
        self.at(&format!("/{organization}/{}", self.project))
    }

    /// Part of the address that names the project.
    pub fn project(&self) -> &str {
        &self.project
    }

    /// Name for the project: the last part of the address in title case.
    pub fn project_name(&self) -> String {
        let words = self
            .project
            .split(['-', '_', ' '])
            .filter(|word| !word.is_empty());
        let words = words.map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_uppercase().to_string());
            first.unwrap_or_default() + letters.as_str()
        });
        words.collect::<Vec<String>>().join(" ")
    }

    /// URL of the errors that match.
    ///
    /// # Errors
    /// [`ExternalFailure::Unsupported`] for a condition that a tracker does not support.
    pub fn issues(
        &self,
        filter: &ErrorFilter,
        stretch: &CursorPage,
    ) -> Result<Url, ExternalFailure> {
        let mut url = self.url.clone();
        url.set_path(&format!("{}issues/", self.url.path()));
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("query", &write_query(filter)?);
        pairs.append_pair("limit", &stretch.limit.to_string());
        // Ordering by the latest event is the default and needs no parameter.
        match filter.order_by {
            ErrorOrder::LastSeen => {}
            // A tracker numbers its errors in the order in which they appear.
            ErrorOrder::FirstSeen | ErrorOrder::Id => drop(pairs.append_pair("sort", "new")),
            ErrorOrder::Frequency => drop(pairs.append_pair("sort", "freq")),
            ErrorOrder::Users => drop(pairs.append_pair("sort", "user")),
        }
        if let Some(cursor) = &stretch.cursor {
            pairs.append_pair("cursor", cursor);
        }
        drop(pairs);
        Ok(url)
    }

    /// URL of one error.
    pub fn issue(&self, id: ErrorIid) -> Url {
        self.at(&format!("/api/0/issues/{id}/"))
    }

    /// URL of an event of an error.
    pub fn event(&self, id: ErrorIid, position: EventPosition) -> Url {
        let position = match position {
            EventPosition::Latest => "latest".to_owned(),
            EventPosition::Oldest => "oldest".to_owned(),
            EventPosition::WithId(event) => event.to_string(),
        };
        self.at(&format!("/api/0/issues/{id}/events/{position}/"))
    }

    /// Failure for a tracker that does not know the project.
    pub fn missing_project(&self) -> ExternalFailure {
        ExternalFailure::NoProject {
            project: format!("{}/{}", self.organization, self.project),
            tracker: self.tracker().to_string(),
        }
    }

    /// Address of the tracker itself.
    pub fn tracker(&self) -> TrackerRoot {
        TrackerRoot(self.at("/"))
    }

    /// The address as a URL.
    pub const fn url(&self) -> &Url {
        &self.url
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.root));
        url
    }
}

/// Parses an address that consists of a host and a path only.
fn plain(text: &str) -> Result<Url, ApiUrlError> {
    let text = text.trim();
    if text.len() > MAX_LENGTH || !text.is_ascii() {
        return Err(ApiUrlError::Invalid);
    }
    let url = Url::parse(text).map_err(|_| ApiUrlError::Invalid)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    is_plain.then_some(url).ok_or(ApiUrlError::Invalid)
}

impl fmt::Display for ApiUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.url.as_str())
    }
}

/// Address of a tracker, independent of a project: `https://host`, or a path below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackerRoot(Url);

impl TrackerRoot {
    /// Parses the address of a tracker, or of anything in its API.
    ///
    /// # Errors
    /// As [`ApiUrl::parse`], except that no project is required.
    pub fn parse(text: &str) -> Result<Self, ApiUrlError> {
        let mut url = plain(text)?;
        let path = url.path().to_owned();
        let root = path
            .split_once("/api/0")
            .map_or(path.as_str(), |(root, _)| root);
        url.set_path(&format!("{}/", root.trim_end_matches('/')));
        Ok(Self(url))
    }

    /// URL of all projects that a token can see.
    pub fn projects(&self) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!(
            "{}{PROJECTS}",
            self.0.path().trim_end_matches('/')
        ));
        url
    }

    /// Address of one of the tracker's projects.
    ///
    /// # Errors
    /// As [`ApiUrl::parse`].
    pub fn project(&self, project: &ExternalProject) -> Result<ApiUrl, ApiUrlError> {
        let ExternalProject {
            organization, slug, ..
        } = project;
        ApiUrl::parse(&format!("{}{organization}/{slug}/", self.projects()))
    }
}

impl fmt::Display for TrackerRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// Project in a tracker's list of projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalProject {
    /// Id in the tracker.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Slug: the project's part of the address.
    pub slug: String,
    /// Slug of the organization.
    pub organization: String,
    /// Display name of the organization.
    pub organization_name: String,
}

impl ExternalProject {
    /// Parses a list of projects.
    /// Skips a project that lacks a part of its address.
    ///
    /// # Errors
    /// The response is not a list.
    pub fn list(answer: &Value) -> Result<Vec<Self>, ExternalFailure> {
        let list = answer
            .as_array()
            .ok_or(ExternalFailure::UnexpectedResponse)?;
        let projects = list.iter().filter_map(|project| {
            let text = |of: &Value, name: &str| Some(of.get(name)?.as_str()?.to_owned());
            let organization = project.get("organization")?;
            let slug = text(project, "slug")?;
            let parent = text(organization, "slug")?;
            Some(Self {
                id: crate::event::plain_text(project.get("id")?)?,
                name: text(project, "name").unwrap_or_else(|| slug.clone()),
                organization_name: text(organization, "name").unwrap_or_else(|| parent.clone()),
                organization: parent,
                slug,
            })
        });
        Ok(projects.collect())
    }
}

#[cfg(test)]
mod tests {
    use api_conventions::ids::ProjectId;
    use serde_json::json;

    use super::*;
    use crate::model::StatusName;

    #[test]
    fn an_address_gives_all_others() {
        let url =
            ApiUrl::parse("https://tracker.example/below/api/0/projects/acme/web-shop").unwrap();
        assert_eq!(
            url.to_string(),
            "https://tracker.example/below/api/0/projects/acme/web-shop/"
        );
        assert_eq!(
            url.page().as_str(),
            "https://tracker.example/below/acme/web-shop"
        );
        assert_eq!(url.project_name(), "Web Shop");
        let mut filter = ErrorFilter::new(ProjectId::new(1));
        filter.status = Some(StatusName::Unresolved);
        filter.search = Some("cart&x".to_owned());
        filter.order_by = ErrorOrder::Frequency;
        let stretch = CursorPage {
            limit: 20,
            cursor: Some("0:20:0".to_owned()),
        };
        assert_eq!(
            url.issues(&filter, &stretch).unwrap().as_str(),
            "https://tracker.example/below/api/0/projects/acme/web-shop/issues/?query=is%3Aunresolved+cart%26x&limit=20&sort=freq&cursor=0%3A20%3A0"
        );
        let id = ErrorIid::new(7);
        assert_eq!(
            url.event(id, EventPosition::Latest).as_str(),
            "https://tracker.example/below/api/0/issues/7/events/latest/"
        );
        assert_eq!(
            url.issue(id).as_str(),
            "https://tracker.example/below/api/0/issues/7/"
        );
        let nested = ApiUrl::parse("https://t.example/api/0/projects/a%2Fb/c").unwrap();
        assert_eq!(nested.page().as_str(), "https://t.example/a/b/c");
    }

    #[test]
    fn a_tracker_is_where_its_api_is() {
        for (text, expected) in [
            ("https://t.example", "https://t.example"),
            (" https://t.example/below/ ", "https://t.example/below"),
            ("https://t.example/api/0/", "https://t.example"),
            (
                "https://t.example/x/api/0/projects/a/b",
                "https://t.example/x",
            ),
        ] {
            let root = TrackerRoot::parse(text).unwrap();
            assert_eq!(root.to_string(), expected, "{text}");
        }
        assert_eq!(TrackerRoot::parse("t.example"), Err(ApiUrlError::Invalid));
    }

    #[test]
    fn malformed_addresses_are_rejected_with_validation_messages() {
        for (text, expected) in [
            ("", "is invalid"),
            ("tracker.example", "is invalid"),
            ("ftp://tracker.example/api/0/projects/a/b", "is invalid"),
            ("https://tracker.example/a/b", "is invalid"),
            (
                "https://user:pass@tracker.example/api/0/projects/a/b",
                "is invalid",
            ),
            (
                "https://tracker.example/api/0/projects/a/b?x=1",
                "is invalid",
            ),
            ("https://tracker.example/api/0/projects/a/b/c", "is invalid"),
            ("https://tracker.example/api/0/projects/ä/b", "is invalid"),
            (
                "https://tracker.example/api/0/projects/",
                "is a required field",
            ),
            (
                "https://tracker.example/api/0/projects",
                "is a required field",
            ),
            (
                "https://tracker.example/api/0/projects/a",
                "is a required field",
            ),
        ] {
            assert_eq!(
                ApiUrl::parse(text).unwrap_err().to_string(),
                expected,
                "{text}"
            );
        }
        let long = format!(
            "https://tracker.example/api/0/projects/a/{}",
            "b".repeat(255)
        );
        assert_eq!(ApiUrl::parse(&long), Err(ApiUrlError::Invalid));
    }

    #[test]
    fn projects_are_listed_with_their_address_parts() {
        let answer = json!([
            {"id": "1", "name": "Web shop", "slug": "web-shop", "organization": {"id": 1, "slug": "acme", "name": "Acme"}},
            {"id": 2, "slug": "api", "organization": {"slug": "acme"}},
            {"id": "3", "slug": "lost"}, 7,
        ]);
        let found = ExternalProject::list(&answer).unwrap();
        let names: Vec<(&str, &str)> = found
            .iter()
            .map(|found| (&*found.id, &*found.name))
            .collect();
        assert_eq!(names, [("1", "Web shop"), ("2", "api")]);
        let root = TrackerRoot::parse("https://tracker.example/").unwrap();
        let url = root.project(&found[0]).unwrap();
        assert_eq!(
            url.to_string(),
            "https://tracker.example/api/0/projects/acme/web-shop/"
        );
        assert_eq!(
            ExternalProject::list(&json!({})),
            Err(ExternalFailure::UnexpectedResponse)
        );
    }
}
