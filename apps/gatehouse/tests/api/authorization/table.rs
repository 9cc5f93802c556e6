//! The table for reviewers.

use std::fmt::Write as _;
use std::sync::Arc;

use web_conventions::operations::{Access, Audience, Declaration};

use super::expected::expected;
use super::subjects::{Part, Subject};

const HEAD: &str = "# Who may call what

This table is made from the declarations of the operations, and a test runs every cell of it against a server. The
statuses are those of requests that are right in all but who sends them. The project is private. 404 stands where the
caller must not learn that there is something.

";

/// Builds the table of these operations and callers.
pub(super) fn of(declarations: &[Arc<Declaration>], subjects: &[Subject]) -> String {
    let mut text = HEAD.to_owned();
    let parts = [
        (
            Part::People,
            "The API, by who calls",
            "Everybody has a personal access token with the scope `api`.",
        ),
        (
            Part::Credentials,
            "The API, by the credentials",
            "An application's token and a session are those of a Developer of the project; all others are the owner's \
             unless the name says otherwise.",
        ),
        (
            Part::Scopes,
            "The API, by the scope",
            "Each token is the owner's and has this one scope.",
        ),
    ];
    for (part, title, about) in parts {
        let columns: Vec<&Subject> = subjects
            .iter()
            .filter(|subject| subject.part == part)
            .collect();
        write_part(&mut text, title, about, declarations, &columns);
    }
    write_others(&mut text, declarations);
    text
}

fn write_part(
    text: &mut String,
    title: &str,
    about: &str,
    declarations: &[Arc<Declaration>],
    columns: &[&Subject],
) {
    let names: Vec<&str> = columns.iter().map(|subject| subject.name).collect();
    let rule = vec!["---"; columns.len()].join(" | ");
    writeln!(
        text,
        "## {title}\n\n{about}\n\n| operation | {} |\n| --- | {rule} |",
        names.join(" | ")
    )
    .unwrap();
    for declared in declarations {
        if declared.access.needs().is_none() {
            continue;
        }
        let statuses: Vec<String> = columns
            .iter()
            .map(|subject| expected(declared, subject).to_string())
            .collect();
        writeln!(text, "| {} | {} |", declared.id, statuses.join(" | ")).unwrap();
    }
    text.push('\n');
}

fn write_others(text: &mut String, declarations: &[Arc<Declaration>]) {
    text.push_str(
        "## Everything else\n\n| operation | method and path | for |\n| --- | --- | --- |\n",
    );
    for declared in declarations {
        let who = match declared.access {
            Access::Api { .. } => continue,
            Access::Public(why) => format!("everybody: {why}"),
            Access::Own(credentials) => format!("anyone who brings {}", credentials.about),
            Access::Page(audience) if place_of(declared).is_some() => {
                let place = place_of(declared).unwrap_or_default();
                match audience {
                    Audience::Everybody => format!("visitors who see the {place}"),
                    _ => "members with the role that the same takes in the API".to_owned(),
                }
            }
            Access::Page(Audience::Everybody) => "every visitor".to_owned(),
            Access::Page(Audience::SignedIn) => "visitors who are signed in".to_owned(),
            Access::Page(Audience::Administrators) => "administrators".to_owned(),
        };
        let path = declared.path.replace("{*", "{");
        writeln!(
            text,
            "| {} | {} `{path}` | {who} |",
            declared.id, declared.method
        )
        .unwrap();
    }
}

/// The kind of place that the page belongs to: its path begins with the path of the place.
fn place_of(declared: &Declaration) -> Option<&'static str> {
    let places = [("/{project}/", "project"), ("/groups/{group}/", "group")];
    let found = places
        .iter()
        .find(|(start, _)| declared.path.starts_with(start));
    found.map(|(_, place)| *place)
}
