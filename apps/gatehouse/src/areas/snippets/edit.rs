//! Request body for creating or updating a snippet, and the filter of lists.

use api_conventions::access::Visibility;
use api_conventions::error::ApiError;
use api_conventions::params::{ParamReader, Params};
use projects::{FileChange, SnippetEdit, SnippetFile, SnippetFilter, SnippetScope};
use serde_json::Value;
use web_conventions::operations::{ObjectField, Parameter, ParameterKind};

/// Maximum number of changes of files in one request.
const MAX_CHANGES: u32 = 100;

const FILES: &str = "files";
const CONTENT: &str = "content";
const FILE_NAME: &str = "file_name";
const ACTION: &str = "action";
const FILE_PATH: &str = "file_path";
const PREVIOUS_PATH: &str = "previous_path";

const ACTIONS: [&str; 4] = ["create", "update", "delete", "move"];
const SOME_TEXT: ParameterKind = ParameterKind::Text {
    min: 1,
    max: u32::MAX,
};
const PATH: ParameterKind = ParameterKind::Text { min: 1, max: 255 };

const NEW_FILE_FIELDS: [ObjectField; 2] = [
    ObjectField::new(FILE_PATH, PATH, "Path of the file.").required(),
    ObjectField::new(CONTENT, SOME_TEXT, "Text of the file.").required(),
];

const FILE_FIELDS: [ObjectField; 4] = [
    ObjectField::new(ACTION, ParameterKind::Word(&ACTIONS), "Kind of change.").required(),
    ObjectField::new(
        FILE_PATH,
        PATH,
        "Path of the file; the new one with `move`.",
    )
    .required(),
    ObjectField::new(PREVIOUS_PATH, PATH, "Path before `move`."),
    ObjectField::new(
        CONTENT,
        SOME_TEXT,
        "Text of the file: required for `create` and `update`, optional for `move`.",
    ),
];

/// Fields of the body of a new snippet.
pub(super) fn new_body() -> Vec<Parameter> {
    let files = ParameterKind::ObjectList {
        fields: &NEW_FILE_FIELDS,
        max: MAX_CHANGES,
    };
    let about = "All files, at most 10 with 1,000,000 bytes together. Use either `files` or `content` with `file_name`.";
    let mut all = vec![title().required()];
    all.extend(shared());
    all.push(Parameter::body(FILES, files, about));
    all
}

/// Fields of the body of an update.
pub(super) fn changed_body() -> Vec<Parameter> {
    let files = ParameterKind::ObjectList {
        fields: &FILE_FIELDS,
        max: MAX_CHANGES,
    };
    let about = "Changes of files, in order.";
    let mut all = vec![title()];
    all.extend(shared());
    all.push(Parameter::body(FILES, files, about));
    all
}

fn title() -> Parameter {
    Parameter::body("title", PATH, "Title.")
}

fn shared() -> [Parameter; 4] {
    [
        Parameter::body(
            "description",
            ParameterKind::Text {
                min: 0,
                max: 50_000,
            },
            "Description in Markdown. Send an empty value to clear it.",
        ),
        Parameter::body(
            "visibility",
            ParameterKind::Word(&Visibility::NAMES),
            "Visibility (default: `private`).",
        ),
        Parameter::body(CONTENT, SOME_TEXT, "Text of the only file."),
        Parameter::body(FILE_NAME, PATH, "Path of the only file."),
    ]
}

/// Filters of all lists.
pub(super) fn filters() -> [Parameter; 2] {
    [
        Parameter::query(
            "created_after",
            ParameterKind::Timestamp,
            "Only snippets created at this time or later.",
        ),
        Parameter::query(
            "created_before",
            ParameterKind::Timestamp,
            "Only snippets created at this time or earlier.",
        ),
    ]
}

/// Parses the filter of a list.
///
/// # Errors
/// 400 for invalid values.
pub(super) fn read_filter(params: &Params, scope: SnippetScope) -> Result<SnippetFilter, ApiError> {
    let mut read = params.reader();
    let filter = SnippetFilter {
        created_after: read.timestamp("created_after"),
        created_before: read.timestamp("created_before"),
        ..SnippetFilter::new(scope)
    };
    read.finish()?;
    Ok(filter)
}

/// Parses a new snippet.
///
/// # Errors
/// 400 for missing and invalid fields.
pub(super) fn read_new(params: &Params) -> Result<SnippetEdit, ApiError> {
    let mut read = params.reader();
    let mut edit = read_fields(&mut read);
    read.demand(&["title"]);
    if !read.is_given(FILES) {
        read.demand(&[FILE_NAME, CONTENT]);
    }
    let file = read_only_file(&mut read);
    read.finish()?;
    edit.files = match file {
        Some(FileChange::Only {
            path: Some(path),
            content: Some(content),
        }) => vec![FileChange::Create(SnippetFile { path, content })],
        _ => read_files(params, read_new_file)?,
    };
    Ok(edit)
}

/// Parses an edit of a snippet.
///
/// # Errors
/// 400 for missing and invalid fields.
pub(super) fn read_changes(params: &Params) -> Result<SnippetEdit, ApiError> {
    let mut read = params.reader();
    let mut edit = read_fields(&mut read);
    read.demand_one_of(&[
        "title",
        "description",
        "visibility",
        CONTENT,
        FILE_NAME,
        FILES,
    ]);
    let file = read_only_file(&mut read);
    read.finish()?;
    edit.files = match file {
        Some(file) => vec![file],
        None => read_files(params, read_file_change)?,
    };
    Ok(edit)
}

fn read_fields(read: &mut ParamReader<'_>) -> SnippetEdit {
    SnippetEdit {
        title: read.text("title"),
        description: read
            .is_given("description")
            .then(|| read.text("description")),
        visibility: read.word("visibility", Visibility::parse),
        files: Vec::new(),
    }
}

/// Parses the fields of a snippet with one file, which cannot be combined with a list of files.
fn read_only_file(read: &mut ParamReader<'_>) -> Option<FileChange> {
    let (path, content) = (read.text(FILE_NAME), read.text(CONTENT));
    if path.is_none() && content.is_none() {
        return None;
    }
    if read.is_given(FILES) {
        read.fault("files, content, file_name", "are mutually exclusive");
    }
    Some(FileChange::Only { path, content })
}

/// Parses the list of files or changes; empty if it is missing.
fn read_files(
    params: &Params,
    read_item: impl Fn(&Params) -> Result<FileChange, ApiError>,
) -> Result<Vec<FileChange>, ApiError> {
    let items = match params.get(FILES) {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) if !items.is_empty() => items,
        Some(_) => return Err(invalid("files is invalid")),
    };
    if items.len() > MAX_CHANGES as usize {
        return Err(invalid(&format!(
            "files must have at most {MAX_CHANGES} items"
        )));
    }
    let read = items.iter().enumerate().map(|(index, item)| {
        let Value::Object(fields) = item else {
            return Err(invalid(&format!("files[{index}] must be an object")));
        };
        read_item(&Params::from_map(fields.clone())).map_err(|refusal| {
            let body = refusal.body();
            let problem = body["error"].as_str().unwrap_or("is invalid");
            invalid(&format!("files[{index}]: {problem}"))
        })
    });
    read.collect()
}

fn invalid(problem: &str) -> ApiError {
    ApiError::invalid_parameters(&[problem.to_owned()])
}

fn read_new_file(fields: &Params) -> Result<FileChange, ApiError> {
    let mut read = fields.reader();
    let file = SnippetFile {
        path: read_required(&mut read, FILE_PATH),
        content: read_required(&mut read, CONTENT),
    };
    read.finish()?;
    Ok(FileChange::Create(file))
}

fn read_file_change(fields: &Params) -> Result<FileChange, ApiError> {
    let mut read = fields.reader();
    let path = read_required(&mut read, FILE_PATH);
    let action = read.word(ACTION, |word| {
        ACTIONS.into_iter().find(|action| *action == word)
    });
    let change = match action {
        Some("create") => FileChange::Create(SnippetFile {
            content: read_required(&mut read, CONTENT),
            path,
        }),
        Some("update") => FileChange::Update(SnippetFile {
            content: read_required(&mut read, CONTENT),
            path,
        }),
        Some("move") => FileChange::Move {
            from: read_required(&mut read, PREVIOUS_PATH),
            content: read.text(CONTENT),
            to: path,
        },
        _ => {
            if action.is_none() {
                read.fault(ACTION, "is missing or does not have a valid value");
            }
            FileChange::Delete { path }
        }
    };
    read.finish()?;
    Ok(change)
}

/// Parses a text that may not be empty.
fn read_required(read: &mut ParamReader<'_>, name: &'static str) -> String {
    let text = read.text(name).unwrap_or_default();
    if text.is_empty() {
        read.fault(name, "is missing or empty");
    }
    text
}
