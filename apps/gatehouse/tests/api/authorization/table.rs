//! The table for reviewers.

use std::fmt::Write as _;
use std::sync::Arc;

use web_conventions::operations::{Access, Declaration, PageAudience};

use super::expected::expected;
use super::tested_callers::{TablePart, TestedCaller};

const HEAD: &str = "# Permissions

This table is generated from the declarations of the operations, and a test runs every cell against a server. It shows the
status of a valid request from each caller. The project is private. 401 means that credentials are missing or invalid, and
403 that the caller has no right to the operation. 404 hides from the caller that the resource exists. A stranger is a user
who is not a member. The API description lists the path of each operation, and [api-design.md](api-design.md#order-of-checks)
explains the order of the checks.

";

/// Builds the table of these operations and callers.
pub(super) fn of(declarations: &[Arc<Declaration>], tested_callers: &[TestedCaller]) -> String {
    let mut text = HEAD.to_owned();
    let parts = [
        (
            TablePart::People,
            "API: by caller",
            "Every caller uses a personal access token with the scope `api`.",
        ),
        (
            TablePart::Credentials,
            "API: by credentials",
            "The application's token and the session belong to a Developer of the project; all others belong to the owner \
             unless the column says otherwise.",
        ),
        (
            TablePart::Scopes,
            "API: by scope",
            "Each token belongs to the owner and has only this scope.",
        ),
    ];
    for (part, title, about) in parts {
        let columns: Vec<&TestedCaller> = tested_callers
            .iter()
            .filter(|tested| tested.part == part)
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
    columns: &[&TestedCaller],
) {
    let names: Vec<&str> = columns.iter().map(|tested| tested.name).collect();
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
            .map(|tested| expected(declared, tested).to_string())
            .collect();
        writeln!(text, "| {} | {} |", declared.id, statuses.join(" | ")).unwrap();
    }
    text.push('\n');
}

fn write_others(text: &mut String, declarations: &[Arc<Declaration>]) {
    text.push_str(
        "## Other operations\n\n| operation | method and path | callers |\n| --- | --- | --- |\n",
    );
    for declared in declarations {
        let callers = match declared.access {
            Access::Api { .. } => continue,
            Access::Public(why) => format!("public: {why}"),
            Access::Protocol(credentials) => format!("callers with {}", credentials.about),
            Access::Page(audience) if place_of(declared).is_some() => {
                let place = place_of(declared).unwrap_or_default();
                match audience {
                    PageAudience::Everybody => format!("visitors who see the {place}"),
                    _ => "members with the role that the API requires for the same operation"
                        .to_owned(),
                }
            }
            Access::Page(PageAudience::Everybody) => "all visitors".to_owned(),
            Access::Page(PageAudience::SignedIn) => "signed-in visitors".to_owned(),
            Access::Page(PageAudience::Administrators) => "administrators".to_owned(),
        };
        let path = declared.path.replace("{*", "{");
        writeln!(
            text,
            "| {} | {} `{path}` | {callers} |",
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
