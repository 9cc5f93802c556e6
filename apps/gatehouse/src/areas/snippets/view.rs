//! Snippets with their authors and projects, as responses show them.

use std::collections::{BTreeSet, HashMap};

use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::ids::{ProjectId, UserId};
use api_conventions::page::Page;
use gatehouse_core::database::ReadTransaction;
use projects::wire::{SnippetDetailJson, SnippetJson};
use projects::{Project, Snippet};
use storage::StoreError;

/// Authors and projects of snippets.
pub(super) struct SnippetContext {
    authors: HashMap<UserId, User>,
    projects: HashMap<ProjectId, Project>,
}

impl SnippetContext {
    /// Loads the authors and projects, with one query for each kind.
    pub(super) fn of(
        tx: &mut dyn ReadTransaction,
        snippets: &[Snippet],
    ) -> Result<Self, StoreError> {
        let authors: BTreeSet<UserId> = snippets.iter().map(|one| one.author_id).collect();
        let authors: Vec<UserId> = authors.into_iter().collect();
        let places = snippets.iter().filter_map(|one| one.place.project_id());
        let places: Vec<ProjectId> = places.collect::<BTreeSet<_>>().into_iter().collect();
        let authors = match authors.as_slice() {
            [] => Vec::new(),
            ids => tx.list_users_by_id(ids)?,
        };
        let projects = match places.as_slice() {
            [] => Vec::new(),
            ids => tx.list_projects_by_id(ids)?,
        };
        Ok(Self {
            authors: authors.into_iter().map(|user| (user.id, user)).collect(),
            projects: projects.into_iter().map(|one| (one.id, one)).collect(),
        })
    }

    /// Author of a snippet; `None` if the account was deleted.
    pub(super) fn author(&self, snippet: &Snippet) -> Option<&User> {
        self.authors.get(&snippet.author_id)
    }

    fn project(&self, snippet: &Snippet) -> Option<&Project> {
        self.projects.get(&snippet.place.project_id()?)
    }
}

/// Page of snippets with their context.
pub(super) struct SnippetPage {
    pub(super) page: Page<Snippet>,
    pub(super) context: SnippetContext,
}

impl SnippetPage {
    /// Loads the context of a page.
    pub(super) fn of(
        tx: &mut dyn ReadTransaction,
        page: Page<Snippet>,
    ) -> Result<Self, StoreError> {
        let context = SnippetContext::of(tx, &page.items)?;
        Ok(Self { page, context })
    }

    /// The JSON of all snippets, as a page.
    pub(super) fn into_json(self, base_url: &str) -> Page<SnippetJson<UserSummary>> {
        let Self { page, context } = self;
        page.map(|snippet| {
            let author = context.author(&snippet);
            let author = author.map(|user| UserSummary::new(user, base_url));
            let project = context.project(&snippet).cloned();
            SnippetJson::new(snippet, project.as_ref(), author, base_url)
        })
    }
}

/// Single snippet with its context.
pub(super) struct SnippetView {
    pub(super) snippet: Snippet,
    pub(super) context: SnippetContext,
}

impl SnippetView {
    /// Loads the context of a snippet.
    pub(super) fn of(tx: &mut dyn ReadTransaction, snippet: Snippet) -> Result<Self, StoreError> {
        let context = SnippetContext::of(tx, std::slice::from_ref(&snippet))?;
        Ok(Self { snippet, context })
    }

    /// The JSON of the snippet.
    pub(super) fn into_json(self, base_url: &str) -> SnippetDetailJson<UserSummary> {
        let Self { snippet, context } = self;
        let author = context.author(&snippet);
        let author = author.map(|user| UserSummary::new(user, base_url));
        let project = context.project(&snippet).cloned();
        SnippetDetailJson::new(snippet, project.as_ref(), author, base_url)
    }
}
