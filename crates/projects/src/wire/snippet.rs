//! The JSON of a snippet.

use api_conventions::ids::{ProjectId, SnippetId};
use api_conventions::reference::encode_segment;
use api_conventions::time::Timestamp;
use serde::Serialize;

use crate::model::{Project, Snippet};

/// A snippet in a list. `U` is the short form of a user, which the caller supplies.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "BasicSnippet"))]
pub struct SnippetJson<U> {
    id: SnippetId,
    title: String,
    description: Option<String>,
    visibility: &'static str,
    author: Option<U>,
    created_at: Timestamp,
    updated_at: Timestamp,
    project_id: Option<ProjectId>,
    web_url: String,
    raw_url: String,
    file_name: String,
}

/// Path of a file, and the URL of its text.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SnippetFile"))]
struct SnippetFileJson {
    path: String,
    raw_url: String,
}

/// A single snippet. It is no Git repository here, so both addresses of one are `null`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Snippet"))]
pub struct SnippetDetailJson<U> {
    #[serde(flatten)]
    snippet: SnippetJson<U>,
    files: Vec<SnippetFileJson>,
    ssh_url_to_repo: Option<String>,
    http_url_to_repo: Option<String>,
}

impl<U> SnippetJson<U> {
    /// A snippet with links below `base_url`, which has no trailing slash. `project` is that of the snippet, and
    /// `author` is `None` if the account was deleted.
    pub fn new(
        snippet: Snippet,
        project: Option<&Project>,
        author: Option<U>,
        base_url: &str,
    ) -> Self {
        let path = project.map_or_else(String::new, |project| {
            format!("/{}", project.full_path.as_str())
        });
        let web_url = format!("{base_url}{path}/-/snippets/{}", snippet.id);
        Self {
            id: snippet.id,
            title: snippet.content.title,
            description: snippet.content.description,
            visibility: snippet.content.visibility.as_str(),
            author,
            created_at: snippet.created_at,
            updated_at: snippet.updated_at,
            project_id: snippet.place.project_id(),
            raw_url: format!("{web_url}/raw"),
            web_url,
            file_name: snippet.paths.into_iter().next().unwrap_or_default(),
        }
    }
}

impl<U> SnippetDetailJson<U> {
    /// A single snippet, like [`SnippetJson::new`].
    pub fn new(
        snippet: Snippet,
        project: Option<&Project>,
        author: Option<U>,
        base_url: &str,
    ) -> Self {
        let paths = snippet.paths.clone();
        let snippet = SnippetJson::new(snippet, project, author, base_url);
        let files = paths.into_iter().map(|path| SnippetFileJson {
            raw_url: format!("{}/main/{}", snippet.raw_url, encode_segment(&path)),
            path,
        });
        Self {
            files: files.collect(),
            snippet,
            ssh_url_to_repo: None,
            http_url_to_repo: None,
        }
    }
}
