//! Rules for the content of records, beyond their syntax.

use crate::model::{Effect, Enforcement, Life, Milestone, Record, Site, Touch};

/// Maximum length of a title or replacement, in characters.
const MAX_LINE: usize = 200;

/// Returns all problems of a record.
pub(super) fn problems(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let mut demand = |is_met: bool, problem: &str| {
        if !is_met {
            found.push(problem.to_owned());
        }
    };
    demand(
        is_slug(&record.id),
        "the file name must consist of lowercase letters, digits and dashes",
    );
    demand(
        is_line(&record.title),
        "`title` must be one line of 1 to 200 characters",
    );
    demand(
        is_line(&record.area),
        "`area` must be one line of 1 to 200 characters",
    );
    demand(
        record.replacement.as_deref().is_none_or(is_line),
        "`replacement` must be one line of 1 to 200 characters",
    );
    demand(
        !record.body.trim().is_empty(),
        "`body` must say what clients have to do",
    );
    demand(
        !record.touches.is_empty(),
        "`touches` must list what the record affects",
    );
    if let Enforcement::Announced(reason) = &record.enforcement {
        demand(
            is_line(reason),
            "`reason` must be one line of 1 to 200 characters",
        );
    }
    found.extend(problems_of_life(record));
    found.extend(
        record
            .touches
            .iter()
            .filter_map(|touch| problem_of(touch, record)),
    );
    found
}

fn problems_of_life(record: &Record) -> Vec<String> {
    let mut found = Vec::new();
    let announced = record.announced();
    if record.announced_on().is_none() {
        found.push(format!("{announced} is not a known release"));
    }
    let Life::Deprecated {
        end_of_support,
        removal,
        ..
    } = record.life
    else {
        if record.breaking {
            found.push("an introduction cannot be `breaking`".to_owned());
        }
        return found;
    };
    let Milestone::Release(removal) = removal else {
        return found;
    };
    if record.removed_on().is_none() {
        found.push(format!("{removal} is not a known release"));
    }
    if removal <= announced {
        found.push("`removal` must be later than `announced`".to_owned());
    }
    let is_between = |support| announced < support && support <= removal;
    if !end_of_support.is_none_or(is_between) {
        found.push("`end_of_support` must be between `announced` and `removal`".to_owned());
    }
    let is_only_said = matches!(record.enforcement, Enforcement::Announced(_));
    if record.breaking && !removal.is_major() && !is_only_said {
        found.push(format!(
            "only a major release such as {} may break clients (specification, Versioning 3)",
            removal.major()
        ));
    }
    found
}

/// Returns the problem of a touch of a record, if it has one.
fn problem_of(touch: &Touch, record: &Record) -> Option<String> {
    let fitting = fitting(&touch.site, record.is_deprecation());
    if !fitting.contains(&name_of(&touch.effect)) {
        let what = what_is(&touch.site);
        return Some(format!(
            "`effect` of {what} must be one of {}",
            fitting.join(", ")
        ));
    }
    let problem = match &touch.effect {
        Effect::Sets(names) if names.is_empty() || names.iter().any(String::is_empty) => {
            "`sets` must name the parameters that replace it"
        }
        Effect::Needs(pairing) if pairing.with.is_empty() && pairing.one_of.is_empty() => {
            "`needs` must name the required parameters in `with` or `one_of`"
        }
        Effect::Needs(pairing) if !is_line(&pairing.message) => {
            "`message` must be one line of 1 to 200 characters"
        }
        _ => match &touch.site {
            Site::Parameter { name, .. } if name.is_empty() => "`parameter` must not be empty",
            Site::Field { path, .. } if path.iter().any(String::is_empty) => {
                "`field` must be names separated by dots, such as `assets.links`"
            }
            Site::Pages(names)
                if names.is_empty() || !names.iter().all(|name| is_segment(name)) =>
            {
                "`pages` must list path segments that follow `/-/`, such as `issues`"
            }
            Site::Behaviour(name) if !is_slug(name) => {
                "`behaviour` must consist of lowercase letters, digits and dashes"
            }
            Site::Graphql(name) if !is_graphql_name(name) => {
                "`graphql` must be a name in the schema, such as `Note.confidential`"
            }
            _ => return None,
        },
    };
    Some(problem.to_owned())
}

/// Effects that a site may have. Only a deprecation may have other effects than `gone`.
fn fitting(site: &Site, is_deprecation: bool) -> &'static [&'static str] {
    match site {
        Site::Parameter { value: Some(_), .. } if is_deprecation => {
            &["gone", "stands_for", "needs"]
        }
        Site::Parameter { .. } if is_deprecation => {
            &["gone", "sets", "at_most", "at_least", "needs"]
        }
        Site::Field { value: None, .. } if is_deprecation => &["gone", "empty"],
        _ => &["gone"],
    }
}

fn name_of(effect: &Effect) -> &'static str {
    match effect {
        Effect::Gone => "gone",
        Effect::StandsFor(_) => "stands_for",
        Effect::Sets(_) => "sets",
        Effect::AtMost(_) => "at_most",
        Effect::AtLeast(_) => "at_least",
        Effect::Needs(_) => "needs",
        Effect::Empty => "empty",
    }
}

fn what_is(site: &Site) -> &'static str {
    match site {
        Site::Operation(_) => "an operation",
        Site::Parameter { value: None, .. } => "a parameter",
        Site::Parameter { .. } => "a value of a parameter",
        Site::Field { value: None, .. } => "a field",
        Site::Field { .. } => "a value of a field",
        Site::Graphql(_) => "a GraphQL name",
        Site::Pages(_) => "pages",
        Site::Behaviour(_) => "a behaviour",
    }
}

fn is_segment(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain)
}

fn is_graphql_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._()".contains(&byte);
    !text.is_empty() && text.bytes().all(is_plain)
}

fn is_slug(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.len() <= 80 && text.bytes().all(is_plain)
}

fn is_line(text: &str) -> bool {
    let count = text.chars().count();
    !text.trim().is_empty() && count <= MAX_LINE && !text.contains(['\n', '\r'])
}
