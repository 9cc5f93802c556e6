//! Values of the project forms.

use api_conventions::access::Visibility;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::params::Params;
use projects::flow::error::NamespaceError;
use projects::{Project, ProjectEdit};
use records::EditFields as _;
use web_conventions::failure::Failure;

use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::list::Choice;

/// Field values, as entered.
/// A field that is missing from a form stays unchanged.
#[derive(Debug, Clone, Default)]
pub(super) struct ProjectFormValues {
    pub(super) name: Option<String>,
    pub(super) path: Option<String>,
    pub(super) description: Option<String>,
    pub(super) visibility: Option<String>,
    /// Topics, separated by commas.
    pub(super) topics: Option<String>,
}

/// Error messages per field.
#[derive(Debug, Default)]
pub(super) struct ProjectFormErrors {
    pub(super) name: Vec<String>,
    pub(super) path: Vec<String>,
    pub(super) description: Vec<String>,
    pub(super) visibility: Vec<String>,
    pub(super) topics: Vec<String>,
    pub(super) namespace: Vec<String>,
    pub(super) confirm: Vec<String>,
}

impl ProjectFormValues {
    /// Reads the values of a form.
    /// Converts the CRLF line endings of browsers to those that API clients send.
    pub(super) fn from_form(form: &PageForm) -> Self {
        let sent = |name| form.has(name).then(|| form.text(name).trim().to_owned());
        Self {
            name: sent("name"),
            path: sent("path"),
            description: sent("description").map(|text| text.replace("\r\n", "\n")),
            visibility: sent("visibility"),
            topics: sent("topics"),
        }
    }

    /// Returns the values of a project.
    pub(super) fn of(project: &Project) -> Self {
        Self {
            name: Some(project.name.clone()),
            path: Some(project.path.clone()),
            description: Some(project.description.clone()),
            visibility: Some(project.visibility.as_str().to_owned()),
            topics: Some(project.topics.join(", ")),
        }
    }

    /// Fills missing values with those of a project.
    pub(super) fn over(self, project: &Project) -> Self {
        let kept = Self::of(project);
        Self {
            name: self.name.or(kept.name),
            path: self.path.or(kept.path),
            description: self.description.or(kept.description),
            visibility: self.visibility.or(kept.visibility),
            topics: self.topics.or(kept.topics),
        }
    }

    /// Visibility choices, with the current one selected.
    pub(super) fn visibilities(&self) -> Vec<Choice> {
        Choice::all(
            &Visibility::NAMES,
            self.visibility.as_deref().unwrap_or_default(),
        )
    }

    /// Parses the values into an edit, by the rules of the API.
    ///
    /// # Errors
    /// Invalid fields.
    pub(super) fn edit(&self) -> Result<ProjectEdit, ValidationFailures> {
        let fields = [
            ("name", &self.name),
            ("path", &self.path),
            ("description", &self.description),
            ("visibility", &self.visibility),
            ("topics", &self.topics),
        ];
        let sent = fields.into_iter().filter_map(|(name, value)| {
            let value = value.clone()?;
            Some((name.to_owned(), value))
        });
        let params = Params::from_fields(&sent.collect::<Vec<_>>()).unwrap_or_default();
        let mut read = params.reader();
        let edit = ProjectEdit::read(&mut read, &[]);
        read.finish().map(|()| edit).map_err(|_| {
            let mut failures = ValidationFailures::default();
            failures.add("visibility", "does not have a valid value");
            failures
        })
    }
}

impl ProjectFormErrors {
    /// Builds the error messages from validation failures.
    pub(super) fn new(failures: &ValidationFailures) -> Self {
        let of = |field, subject| sentences(subject, failures.of(field));
        Self {
            name: of("name", "The name"),
            path: of("path", "The path"),
            description: of("description", "The description"),
            visibility: of("visibility", "The visibility"),
            topics: of("topics", "The list of topics"),
            namespace: of("namespace", "The namespace"),
            confirm: of("confirm", "The path"),
        }
    }

    /// All messages of a transfer, whose form has only one field for them.
    pub(super) fn of_move(failures: &ValidationFailures) -> Vec<String> {
        let wrong = Self::new(failures);
        [wrong.namespace, wrong.visibility, wrong.path, wrong.name].concat()
    }
}

/// Returns the validation failures of the fields, with the messages of the API.
///
/// # Errors
/// Failures that are not about a field.
pub(super) fn refused(error: NamespaceError) -> Result<ValidationFailures, PageFailure> {
    let of = |field, text: &str| {
        let mut failures = ValidationFailures::default();
        failures.add(field, text);
        Ok(failures)
    };
    match error {
        NamespaceError::Invalid(failures) => Ok(failures),
        NamespaceError::PathTaken => of("path", "has already been taken"),
        NamespaceError::NameTaken => of("name", "has already been taken"),
        NamespaceError::Store(error) => Err(error.into()),
        other => Err(Failure::from(ApiError::from(other)).into()),
    }
}
