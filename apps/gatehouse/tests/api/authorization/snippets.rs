//! Valid requests for snippets.

use serde_json::{Value, json};

use super::samples::{SampleRequest, get};
use super::tested_callers::AuthorizationFixture;

const SNIPPETS: &str = "/api/v4/snippets";

/// A valid request for an operation of the area; `None` for any other. The snippets are of an administrator.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let with = |path: String, body: &Value| SampleRequest {
        path,
        body: body.to_string(),
    };
    let of_project = || fixture.server.below_project("/snippets");
    let one = |snippets: &str| {
        let created = fixture.server.admin().post(snippets, &new()).expect(201);
        format!("{snippets}/{}", created["id"])
    };
    let change = json!({ "title": "Changed" });
    Some(match operation {
        "listSnippets" => get(SNIPPETS.to_owned()),
        "listPublicSnippets" => get(format!("{SNIPPETS}/public")),
        "listAllSnippets" => get(format!("{SNIPPETS}/all")),
        "listProjectSnippets" => get(of_project()),
        "createSnippet" => with(SNIPPETS.to_owned(), &new()),
        "createProjectSnippet" => with(of_project(), &new()),
        "showSnippet" | "deleteSnippet" => get(one(SNIPPETS)),
        "showProjectSnippet" | "deleteProjectSnippet" => get(one(&of_project())),
        "updateSnippet" => with(one(SNIPPETS), &change),
        "updateProjectSnippet" => with(one(&of_project()), &change),
        "showSnippetRaw" => get(format!("{}/raw", one(SNIPPETS))),
        "showProjectSnippetRaw" => get(format!("{}/raw", one(&of_project()))),
        "showSnippetFileRaw" => get(file(&one(SNIPPETS))),
        "showProjectSnippetFileRaw" => get(file(&one(&of_project()))),
        _ => return None,
    })
}

fn new() -> Value {
    json!({ "title": "Script", "file_name": "bin/a.sh", "content": "echo", "visibility": "public" })
}

/// The path of the file of a snippet.
fn file(snippet: &str) -> String {
    format!("{snippet}/files/main/bin%2Fa.sh/raw")
}
