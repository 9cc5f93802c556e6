//! Where an external tracker is.

use std::fmt;

use serde_json::Value;
use url::Url;

use super::failure::ExternalFailure;

/// What stands before the organization and the project in the path of the API.
const PROJECTS: &str = "/api/0/projects/";
/// The longest address, in characters.
const LONGEST: usize = 255;

/// The address of a project in a tracker's API: `https://host/api/0/projects/organization/project`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiUrl {
    url: Url,
    /// What stands before the API in the path.
    root: String,
    organization: String,
    project: String,
}

/// Why a text is no such address. The words are those of the validation (`is invalid`, `is a required field`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApiUrlError {
    /// It is no address of such an API.
    #[error("is invalid")]
    Invalid,
    /// The organization or the project is missing.
    #[error("is a required field")]
    ProjectMissing,
}

impl ApiUrl {
    /// Reads an address. Whether it may be reached is not decided here.
    ///
    /// # Errors
    /// When it is too long, not in ASCII, of another scheme than HTTP, with credentials, or not of a project.
    pub fn parse(text: &str) -> Result<Self, ApiUrlError> {
        if text.len() > LONGEST || !text.is_ascii() {
            return Err(ApiUrlError::Invalid);
        }
        let mut url = Url::parse(text).map_err(|_| ApiUrlError::Invalid)?;
        let is_plain = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none();
        if !is_plain {
            return Err(ApiUrlError::Invalid);
        }
        let path = url.path().to_owned();
        let (root, rest) = match path.split_once(PROJECTS) {
            Some((root, rest)) => (root, rest),
            // The address of all projects, with or without its last slash.
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

    /// The address of a project on a tracker whose API is at `host`, as people choose one from a list.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn of_project(host: &str, project: &ExternalProject) -> Result<Self, ApiUrlError> {
        let host = host.trim().trim_end_matches('/');
        let ExternalProject {
            organization, slug, ..
        } = project;
        Self::parse(&format!("{host}{PROJECTS}{organization}/{slug}"))
    }

    /// The page of the project, for people.
    pub fn page(&self) -> Url {
        self.at(&format!("/{}/{}", self.organization, self.project))
    }

    /// A name for the project: the last part of the address in title case.
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

    /// The address of the errors that match.
    pub fn issues(&self, query: &str, sort: Option<&str>, limit: u16, cursor: Option<&str>) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}issues/", self.url.path()));
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("query", query);
        pairs.append_pair("limit", &limit.to_string());
        if let Some(sort) = sort {
            pairs.append_pair("sort", sort);
        }
        if let Some(cursor) = cursor {
            pairs.append_pair("cursor", cursor);
        }
        drop(pairs);
        url
    }

    /// The address of one error. Its id is a number; whatever else stands there names nothing.
    pub fn issue(&self, id: &str) -> Option<Url> {
        is_number(id).then(|| self.at(&format!("/api/0/issues/{id}/")))
    }

    /// The address of the latest event of an error.
    pub fn latest_event(&self, id: &str) -> Option<Url> {
        is_number(id).then(|| self.at(&format!("/api/0/issues/{id}/events/latest/")))
    }

    /// The address of all projects that a token sees.
    pub fn projects(&self) -> Url {
        self.at(PROJECTS)
    }

    fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.root));
        url
    }
}

fn is_number(id: &str) -> bool {
    !id.is_empty() && id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit())
}

impl fmt::Display for ApiUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.url.as_str())
    }
}

/// A project of a tracker, as its list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalProject {
    /// Its id there.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Its part of the address.
    pub slug: String,
    /// The part of the address before it.
    pub organization: String,
    /// What people call that.
    pub organization_name: String,
}

impl ExternalProject {
    /// Reads a list of projects. One that lacks what its address is made of is left out.
    ///
    /// # Errors
    /// When the answer is no list.
    pub fn list(answer: &Value) -> Result<Vec<Self>, ExternalFailure> {
        let list = answer.as_array().ok_or(ExternalFailure::UnexpectedAnswer)?;
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
    use serde_json::json;

    use super::*;

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
        assert_eq!(
            url.issues("is:unresolved cart&x", Some("freq"), 20, Some("0:20:0"))
                .as_str(),
            "https://tracker.example/below/api/0/projects/acme/web-shop/issues/?query=is%3Aunresolved+cart%26x&limit=20&sort=freq&cursor=0%3A20%3A0"
        );
        assert_eq!(
            url.latest_event("7").unwrap().as_str(),
            "https://tracker.example/below/api/0/issues/7/events/latest/"
        );
        assert_eq!(
            url.projects().as_str(),
            "https://tracker.example/below/api/0/projects/"
        );
    }

    #[test]
    fn an_id_that_is_no_number_names_nothing() {
        let url = ApiUrl::parse("https://tracker.example/api/0/projects/a/b/").unwrap();
        for id in ["", "../1", "1/2", "x", "1?y", &"9".repeat(21)] {
            assert_eq!((url.issue(id), url.latest_event(id)), (None, None), "{id}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_in_the_words_of_the_validation() {
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
    fn projects_are_listed_with_what_their_address_is_made_of() {
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
        let url = ApiUrl::of_project("https://tracker.example/", &found[0]).unwrap();
        assert_eq!(
            url.to_string(),
            "https://tracker.example/api/0/projects/acme/web-shop/"
        );
        assert_eq!(
            ExternalProject::list(&json!({})),
            Err(ExternalFailure::UnexpectedAnswer)
        );
    }
}
