//! Form to create or edit a snippet.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::access::Visibility;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::SnippetId;
use askama::Template;
use gatehouse_core::spam::{Clearance, Intent, SpamVerdict};
use projects::flow::snippets::SnippetActor;
use projects::{FileChange, SnippetDraft, SnippetEdit, SnippetFile};

use super::SnippetRejection;
use crate::frame::form::PageForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::held::{HeldNotice, solution};
use crate::frame::page::list::Choice;
use crate::frame::page::shell::Shell;
use crate::frame::spam::{CheckedKind, sender};

/// Maximum number of files in the form: those of a snippet.
const MAX_ROWS: usize = projects::model::MAX_FILES;
/// Maximum size of the files that the form can send, in bytes. Escapes may double their size.
const MAX_FORM_BYTES: usize = 100_000;

/// File in the form, as entered.
#[derive(Debug, Clone, Default)]
struct FileFields {
    number: usize,
    /// Path of the stored file; empty for a new one.
    old: String,
    path: String,
    content: String,
    is_removed: bool,
}

/// Submitted values of the form, unchanged.
#[derive(Debug, Clone, Default)]
pub(super) struct SnippetFormValues {
    title: String,
    description: String,
    visibility: String,
    files: Vec<FileFields>,
}

#[derive(Template)]
#[template(path = "areas/snippets/snippet_form.html")]
struct SnippetFormPage<'a> {
    shell: Shell,
    action: String,
    cancel: String,
    is_new: bool,
    visibilities: Vec<Choice>,
    values: &'a SnippetFormValues,
    wrong: SnippetFormErrors,
    is_wrong: bool,
    held: Option<&'a HeldNotice>,
}

/// Errors of each field, as sentences.
struct SnippetFormErrors {
    title: Vec<String>,
    description: Vec<String>,
    visibility: Vec<String>,
    files: Vec<String>,
}

impl SnippetFormValues {
    /// Values of the form for a new snippet.
    pub(super) fn new() -> Self {
        Self {
            visibility: Visibility::Private.as_str().to_owned(),
            files: vec![FileFields::default()],
            ..Self::default()
        }
    }

    /// Values of a stored snippet, with a row for one more file.
    ///
    /// # Errors
    /// 413 for files that are too large for a form.
    pub(super) fn of(draft: SnippetDraft) -> Result<Self, PageFailure> {
        let bytes: usize = draft.files.iter().map(|file| file.content.len()).sum();
        if bytes > MAX_FORM_BYTES {
            return Err(PageFailure::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The snippet is too large for this form",
                "Update it with the API: PUT /api/v4/snippets/:id, or below its project.",
            ));
        }
        let rows = draft.files.into_iter().map(|file| FileFields {
            old: file.path.clone(),
            path: file.path,
            content: file.content,
            ..FileFields::default()
        });
        let values = Self {
            title: draft.content.title,
            description: draft.content.description.unwrap_or_default(),
            visibility: draft.content.visibility.as_str().to_owned(),
            files: rows.collect(),
        };
        Ok(values.with_empty_row())
    }

    /// Reads a submitted form.
    /// Browsers send CRLF line ends, which become LF, as API clients send them.
    pub(super) fn from_form(form: &PageForm) -> Self {
        let text = |name: String| form.text(&name).replace("\r\n", "\n");
        let rows = (0..=MAX_ROWS).filter(|number| form.has(&format!("path_{number}")));
        let rows = rows.map(|number| FileFields {
            number,
            old: text(format!("old_{number}")),
            path: text(format!("path_{number}")).trim().to_owned(),
            content: text(format!("content_{number}")),
            is_removed: form.is_ticked(&format!("remove_{number}")),
        });
        let values = Self {
            title: form.text("title").to_owned(),
            description: form.text("description").replace("\r\n", "\n"),
            visibility: form.text("visibility").to_owned(),
            files: rows.collect(),
        };
        values.with_empty_row()
    }

    /// Adds a row for one more file, unless there is one or the snippet is full; numbers the rows.
    fn with_empty_row(mut self) -> Self {
        let has_empty = self.files.last().is_some_and(FileFields::is_empty);
        if !has_empty && self.files.len() < MAX_ROWS {
            self.files.push(FileFields::default());
        }
        for (number, file) in self.files.iter_mut().enumerate() {
            file.number = number;
        }
        self
    }

    /// Returns the edit: it replaces all files by those of the form, in their order.
    pub(super) fn edit(&self) -> SnippetEdit {
        let old = self.files.iter().filter(|file| !file.old.is_empty());
        let mut files: Vec<FileChange> = old
            .map(|file| FileChange::Delete {
                path: file.old.clone(),
            })
            .collect();
        let kept = self.files.iter();
        let kept = kept.filter(|file| !file.is_removed && !file.is_empty());
        files.extend(kept.map(|file| {
            FileChange::Create(SnippetFile {
                path: file.path.clone(),
                content: file.content.clone(),
            })
        }));
        SnippetEdit {
            title: Some(self.title.clone()),
            description: Some(Some(self.description.clone())),
            visibility: Visibility::parse(&self.visibility),
            files,
        }
    }
}

impl FileFields {
    /// True for a row that was left empty.
    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.path.is_empty() && self.content.is_empty()
    }
}

/// Target of the form.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormTarget<'a> {
    /// Path of the list, below the root of the server.
    pub(super) base: &'a str,
    /// Existing snippet.
    pub(super) id: Option<SnippetId>,
}

impl FormTarget<'_> {
    /// Title of the page.
    pub(super) fn title(self) -> &'static str {
        if self.id.is_none() {
            "New snippet"
        } else {
            "Edit the snippet"
        }
    }
}

/// Checks the content of a form for spam.
pub(super) async fn judge(
    page: &PageRequest<'_>,
    form: &PageForm,
    before: Option<(SnippetId, SnippetDraft)>,
    edit: SnippetEdit,
    by: SnippetActor,
) -> Result<Result<Clearance<SnippetEdit>, SnippetRejection>, PageFailure> {
    if let Some(clearance) = page.state.spam.clear_if_disabled(&edit) {
        return Ok(Ok(clearance));
    }
    let before = before.as_ref().map(|(id, draft)| (*id, draft));
    let intent = Intent::for_snippet(before, edit, by);
    let user = &page.visitor.member(page.request)?.user;
    let sender = sender(page.request, page.state, user);
    let (spam, database) = (&page.state.spam, &page.state.database);
    let judged = spam.check(database, intent, sender, solution(form), true, by.now);
    Ok(match judged.await? {
        SpamVerdict::Cleared(clearance) => Ok(clearance),
        SpamVerdict::Held(held) => {
            let notice = HeldNotice::new(CheckedKind::Snippet, &held, spam.script());
            Err(SnippetRejection::Held(Box::new(notice)))
        }
        SpamVerdict::Unverified => Err(SnippetRejection::Held(Box::new(HeldNotice::unverified()))),
    })
}

/// Responds with the form, and with the reason why it was not saved, if it was sent.
pub(super) fn answer(
    page: &PageRequest<'_>,
    shell: Shell,
    form: FormTarget<'_>,
    values: &SnippetFormValues,
    rejection: Option<SnippetRejection>,
) -> Result<HttpResponse, PageFailure> {
    let (failures, held) = match rejection {
        None => (ValidationFailures::default(), None),
        Some(SnippetRejection::Invalid(failures)) => (failures, None),
        Some(SnippetRejection::Held(held)) => (ValidationFailures::default(), Some(*held)),
    };
    let (base, id) = (form.base, form.id);
    let action = id.map_or_else(|| base.to_owned(), |id| format!("{base}/{id}"));
    let of = |field, subject| sentences(subject, failures.of(field));
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let response = page.show_with(
        status,
        &SnippetFormPage {
            shell,
            cancel: action.clone(),
            action,
            is_new: id.is_none(),
            visibilities: Choice::all(&Visibility::NAMES, &values.visibility),
            values,
            is_wrong: !failures.is_empty(),
            wrong: SnippetFormErrors {
                title: of("title", "The title"),
                description: of("description", "The description"),
                visibility: of("visibility", "The visibility"),
                files: of("files", "The files"),
            },
            held: held.as_ref(),
        },
    )?;
    match &held {
        Some(held) => held.apply_to(response),
        None => Ok(response),
    }
}
