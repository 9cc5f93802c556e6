//! Permissions on snippets, and the files that follow from an edit.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ValidationFailures;
use api_conventions::validation;

use crate::model::{
    FileChange, MAX_FILES, MAX_SNIPPET_BYTES, Project, Snippet, SnippetContent, SnippetDraft,
    SnippetEdit, SnippetFile, SnippetPlace, SnippetScope, Viewer,
};
use crate::rules::access::ProjectAccess;
use crate::rules::features::Feature;

/// Home of snippets, as one viewer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnippetHome {
    place: SnippetPlace,
    access: Option<ProjectAccess>,
}

impl SnippetHome {
    /// Home of personal snippets.
    pub const PERSONAL: Self = Self {
        place: SnippetPlace::Personal,
        access: None,
    };

    /// Home of the snippets of a project that the viewer sees; `None` if the settings of the project hide its snippets
    /// from the viewer.
    pub fn of_project(project: &Project, access: ProjectAccess) -> Option<Self> {
        let is_open = Feature::Snippets.is_read_by(&project.settings, access);
        is_open.then_some(Self {
            place: SnippetPlace::Project(project.id),
            access: Some(access),
        })
    }

    /// Owner of the snippets.
    pub const fn place(self) -> SnippetPlace {
        self.place
    }

    /// True if a signed-in user may create snippets: every user its own, and Reporters in a project.
    pub fn allows_creation(self) -> bool {
        self.access
            .is_none_or(|access| access.allows(AccessLevel::Reporter))
    }

    /// Lowest visibility of the snippets of a project that a viewer sees: all for members, and those for signed-in
    /// users or for everyone otherwise.
    fn least_visibility(access: ProjectAccess, viewer: Viewer) -> Visibility {
        if access.allows(AccessLevel::Guest) {
            Visibility::Private
        } else if viewer.user_id().is_some() {
            Visibility::Internal
        } else {
            Visibility::Public
        }
    }

    /// Scope of the list of the snippets of a project; `None` for personal snippets.
    pub fn project_scope(self, viewer: Viewer) -> Option<SnippetScope> {
        let (access, id) = (self.access?, self.place.project_id()?);
        Some(SnippetScope::Project {
            id,
            least: Self::least_visibility(access, viewer),
        })
    }
}

/// Rights of a viewer on a snippet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetRights {
    /// None: the snippet does not exist for the viewer.
    None,
    /// Reading.
    Read,
    /// Reading, changing and deleting.
    All,
}

/// Returns the rights of a viewer on a snippet of this home.
///
/// Personal snippets belong to their author and to administrators. Those of a project can be changed by their author
/// and by Maintainers, if they see them.
pub fn snippet_rights(snippet: &Snippet, home: SnippetHome, viewer: Viewer) -> SnippetRights {
    if snippet.place != home.place {
        return SnippetRights::None;
    }
    let is_author = viewer.user_id() == Some(snippet.author_id);
    let visibility = snippet.content.visibility;
    let (sees, changes) = if let Some(access) = home.access {
        let sees = visibility >= SnippetHome::least_visibility(access, viewer);
        (sees, is_author || access.allows(AccessLevel::Maintainer))
    } else {
        let is_own = is_author || matches!(viewer, Viewer::Administrator(_));
        let is_open = match visibility {
            Visibility::Public => true,
            Visibility::Internal => viewer.user_id().is_some(),
            Visibility::Private => false,
        };
        (is_open || is_own, is_own)
    };
    match (sees, changes) {
        (false, _) => SnippetRights::None,
        (true, false) => SnippetRights::Read,
        (true, true) => SnippetRights::All,
    }
}

/// Applies an edit to a snippet, or to nothing for a new one.
/// New snippets are private unless the edit says otherwise.
///
/// # Errors
/// All invalid attributes. Nothing is truncated.
pub fn apply_edit(
    before: Option<&SnippetDraft>,
    edit: SnippetEdit,
) -> Result<SnippetDraft, ValidationFailures> {
    let mut draft = before.cloned().unwrap_or_else(|| SnippetDraft {
        content: SnippetContent {
            title: String::new(),
            description: None,
            visibility: Visibility::Private,
        },
        files: Vec::new(),
    });
    if let Some(title) = edit.title {
        draft.content.title = title;
    }
    if let Some(description) = edit.description {
        draft.content.description = description.filter(|text| !text.is_empty());
    }
    if let Some(visibility) = edit.visibility {
        draft.content.visibility = visibility;
    }
    let mut failures = validation::check(&draft.content);
    for change in edit.files {
        if let Err(problem) = change_file(&mut draft.files, change) {
            failures.add("files", problem);
        }
    }
    check_files(&draft.files, &mut failures);
    if failures.is_empty() {
        Ok(draft)
    } else {
        Err(failures)
    }
}

/// Changes one file. A fault is reported as text, which follows the name of the attribute.
fn change_file(files: &mut Vec<SnippetFile>, change: FileChange) -> Result<(), String> {
    let find = |files: &[SnippetFile], path: &str| {
        let found = files.iter().position(|file| file.path == path);
        found.ok_or_else(|| format!("include {path:?}, which does not exist"))
    };
    let (position, path, content) = match change {
        FileChange::Create(file) => {
            files.push(file);
            return Ok(());
        }
        FileChange::Delete { path } => {
            files.remove(find(files, &path)?);
            return Ok(());
        }
        FileChange::Update(file) => (find(files, &file.path)?, None, Some(file.content)),
        FileChange::Move { from, to, content } => (find(files, &from)?, Some(to), content),
        FileChange::Only { path, content } => {
            if files.len() != 1 {
                return Err(
                    "are more than one: change them by files instead of file_name and content"
                        .to_owned(),
                );
            }
            (0, path, content)
        }
    };
    if let Some(file) = files.get_mut(position) {
        file.path = path.unwrap_or_else(|| std::mem::take(&mut file.path));
        file.content = content.unwrap_or_else(|| std::mem::take(&mut file.content));
    }
    Ok(())
}

fn check_files(files: &[SnippetFile], failures: &mut ValidationFailures) {
    if files.is_empty() {
        failures.add("files", "must have at least one file");
    }
    if files.len() > MAX_FILES {
        failures.add("files", format!("are too many (maximum is {MAX_FILES})"));
    }
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    if bytes > MAX_SNIPPET_BYTES {
        let text = format!("are too large (maximum is {MAX_SNIPPET_BYTES} bytes together)");
        failures.add("files", text);
    }
    for (index, file) in files.iter().enumerate() {
        let own = validation::check(file);
        if !own.is_empty() {
            failures.add("files", format!("are invalid: {own}"));
        }
        let mut others = files.iter().take(index);
        if others.any(|other| other.path == file.path) {
            failures.add("files", format!("include {:?} more than once", file.path));
        }
    }
}

/// Text of a snippet that becomes readable by everyone through a change; `None` if there is none.
///
/// The spam check is for public snippets: for new ones, for changed ones, and for those that become public. Members of
/// a project with the Reporter role or higher, and administrators, are trusted.
pub fn published_text(
    before: Option<&SnippetDraft>,
    after: &SnippetDraft,
    home: SnippetHome,
    viewer: Viewer,
) -> Option<String> {
    let is_trusted = match home.access {
        Some(access) => access.allows(AccessLevel::Reporter),
        None => matches!(viewer, Viewer::Administrator(_)),
    };
    let is_public = after.content.visibility == Visibility::Public;
    if is_trusted || !is_public || before == Some(after) {
        return None;
    }
    let mut text = after.content.description.clone().unwrap_or_default();
    for file in &after.files {
        for part in [&file.path, &file.content] {
            text.push('\n');
            text.push_str(part);
        }
    }
    Some(text)
}

#[cfg(test)]
#[path = "snippets_tests.rs"]
mod tests;
