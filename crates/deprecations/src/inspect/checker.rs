//! Check of calls against the records.

use std::borrow::Cow;

use crate::model::{Record, RecordStatus, Site, Touch};

use super::call::{CallTarget, RecordedCall, RecordedResponse, segments, target_of, template};
use super::findings::FindingCollector;
use super::graphql;
use super::index::{Index, KnownOperation};
use super::parameter;
use super::report::Certainty;

/// First segments of pages that belong to no project.
const NOT_PROJECTS: [&str; 17] = [
    "-",
    "admin",
    "api",
    "assets",
    "dashboard",
    "explore",
    "groups",
    "help",
    "import",
    "invitations",
    "jwt",
    "oauth",
    "profile",
    "search",
    "uploads",
    "users",
    "v2",
];

/// Check of calls against an index of records, and the findings.
pub(super) struct CallChecker<'i, 's> {
    pub(super) index: &'i Index<'s>,
    pub(super) findings: FindingCollector<'s>,
}

impl CallChecker<'_, '_> {
    /// Checks a call.
    pub(super) fn call(&mut self, call: &RecordedCall<'_>) {
        self.findings.calls += 1;
        let segments = segments(call.target);
        match target_of(&segments) {
            CallTarget::Api(path) => {
                // OPTIONS is a CORS preflight (Fetch standard), not a call.
                if !self.operation(call, &path) && call.method != "OPTIONS" {
                    let shown = format!("{} {}", call.method, template(&path));
                    self.findings.add_unknown(shown, call.position);
                }
            }
            CallTarget::Graphql => self.graphql(call),
            CallTarget::Oauth(path) => {
                if !self.operation(call, &path) {
                    self.page(call, &segments);
                }
            }
            CallTarget::Page => self.page(call, &segments),
        }
    }

    /// Checks a call of an operation; `false` if the operation is unknown.
    fn operation(&mut self, call: &RecordedCall<'_>, path: &str) -> bool {
        let index = self.index;
        let found = index.requested(&call.method, path);
        for known in &found {
            let shown = known.endpoint.to_string();
            for (record, touch) in &known.touches {
                let outcome = outcome(call, path, known, record, touch, &self.findings);
                if let Some((certainty, detail)) = outcome {
                    self.findings
                        .add(record, &shown, certainty, detail, call.position);
                }
            }
        }
        !found.is_empty()
    }

    fn graphql(&mut self, call: &RecordedCall<'_>) {
        let names = graphql::names_of(call);
        for (record, name) in self.index.graphql() {
            if graphql::may_use(&names, name) {
                let (shown, certainty) = ("POST /api/graphql", Certainty::CannotTell);
                let detail = format!("GraphQL `{name}`, matched by name only");
                self.findings
                    .add(record, shown, certainty, detail, call.position);
            }
        }
    }

    /// Checks a request of a page.
    /// The segment after the path of a project is the third or a later one, because groups can be nested.
    fn page(&mut self, call: &RecordedCall<'_>, segments: &[Cow<'_, str>]) {
        self.findings.add_outside();
        let first = segments.first().map(Cow::as_ref);
        let is_of_project = first.is_some_and(|first| !NOT_PROJECTS.contains(&first));
        // Alert intake addresses never had the delimiter (specification, Versioning 4: APIs are not affected).
        let is_intake = segments.windows(2).any(|pair| pair == ["alerts", "notify"])
            || segments.last().is_some_and(|last| last == "notify.json");
        if !is_of_project || is_intake || segments.iter().any(|segment| segment == "-") {
            return;
        }
        let found = segments.iter().skip(2).find_map(|segment| {
            let mut pages = self.index.pages().iter();
            pages.find(|(_, name)| segment == name)
        });
        if let Some((record, name)) = found {
            let shown = format!("{} /:project/{name}", call.method);
            let (certainty, detail) = (Certainty::Certain, "the path without `/-/`".to_owned());
            self.findings
                .add(record, &shown, certainty, detail, call.position);
        }
    }
}

/// Certainty and description of a call's use of something that a record touches, if it uses it.
fn outcome(
    call: &RecordedCall<'_>,
    path: &str,
    known: &KnownOperation<'_>,
    record: &Record,
    touch: &Touch,
    findings: &FindingCollector<'_>,
) -> Option<(Certainty, String)> {
    // If a client does not show a recent introduction, it most likely does not know of it.
    let is_new = findings.status(record) == RecordStatus::Absent;
    let certain = |detail: String| Some((Certainty::Certain, detail));
    match &touch.site {
        Site::Operation(_) => certain("the whole operation".to_owned()),
        Site::Parameter { name, value, .. } => {
            let sent = parameter::SentParameters {
                parameters: &call.parameters,
                in_path: parameter::in_path(&known.endpoint, path, name),
                is_all: call.shows_parameters,
            };
            sent.outcome(name, value.as_ref(), &touch.effect)
                .filter(|(certainty, _)| *certainty == Certainty::Certain || !is_new)
        }
        Site::Field { path, value, .. } => {
            let shown = parameter::shown("the field", &path.join("."), value.as_ref());
            match &call.response {
                RecordedResponse::Shown(answer) => {
                    let is_there =
                        parameter::has_field(answer, path, value.as_ref(), &touch.effect);
                    certain(format!("{shown} of the response")).filter(|_| is_there)
                }
                RecordedResponse::Hidden if !is_new => Some((
                    Certainty::CannotTell,
                    format!("{shown} of the response, which the file does not show"),
                )),
                RecordedResponse::Hidden | RecordedResponse::Nothing => None,
            }
        }
        Site::Graphql(_) | Site::Pages(_) | Site::Behaviour(_) => None,
    }
}
