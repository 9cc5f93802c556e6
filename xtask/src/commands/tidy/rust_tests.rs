//! Each rule for sources, broken once.

use super::*;

/// Checks the faults found in a source with a valid first line.
fn check(path: &str, body: &str, expected: &[(usize, &str)]) {
    let source = format!("//! A file.\n{body}");
    let found = faults(Path::new(path), &source);
    let found: Vec<_> = found
        .iter()
        .map(|(line, what)| (*line, what.as_str()))
        .collect();
    assert_eq!(found, expected, "{path}: {body}");
}

#[test]
fn files_without_a_module_doc_are_reported() {
    let found = faults(Path::new("src/lib.rs"), "use std::fmt;\n");
    assert_eq!(found.len(), 1, "{found:?}");
    check("src/lib.rs", "use std::fmt;\n", &[]);
}

#[test]
fn long_files_are_warned_of_and_longer_ones_refused() {
    let lines = |count: usize| "//!\n".repeat(count);
    let judge = |path: &str, count| {
        let source = lines(count);
        let path = Path::new(path);
        (warnings(path, &source).len(), faults(path, &source).len())
    };
    assert_eq!(judge("src/a.rs", 400), (0, 0));
    assert_eq!(judge("src/a.rs", 401), (1, 0));
    assert_eq!(judge("src/a.rs", 600), (1, 0));
    assert_eq!(judge("src/a.rs", 601), (0, 1));
    assert_eq!(judge("tests/api/a.rs", 900), (0, 0));
    assert_eq!(judge("tests/api/a.rs", 901), (0, 1));
    assert_eq!(judge("src/rules/tests.rs", 700), (0, 0));
}

#[test]
fn unfinished_work_is_found() {
    for mark in UNFINISHED_MARKS {
        let body = format!("fn f() {{}} // {mark}\n");
        check(
            "src/a.rs",
            &body,
            &[(2, &format!("`{mark}` marks unfinished work"))],
        );
    }
}

#[test]
fn places_of_the_build_are_found() {
    for path_macro in EMBEDDED_PATHS {
        let fault = format!("`{path_macro}` breaks if the checkout is moved; read it at run time");
        check(
            "tests/a.rs",
            &format!("const P: &str = {path_macro}\");\n"),
            &[(2, &fault)],
        );
    }
}

#[test]
fn code_in_comments_is_found_and_prose_is_not() {
    for code in [
        "let x = 1;",
        "use std::fmt;",
        "call(one, two);",
        "if ready {",
        "}",
        "#[derive(Debug)]",
        "return Err(x);",
    ] {
        check(
            "src/a.rs",
            &format!("    // {code}\n"),
            &[(2, "commented-out code")],
        );
    }
    for prose in [
        "The row is gone; nobody looks for it.",
        "First one, then the other;",
        "See `call(one)`.",
        "a * (b + c) is what remains",
    ] {
        check("src/a.rs", &format!("    // {prose}\n"), &[]);
    }
    check("src/a.rs", "/// let x = 1;\n", &[]);
}

#[test]
fn names_that_say_nothing_are_refused() {
    let refused = |name: &str| format!("`{name}` does not describe the content");
    for name in VAGUE_NAMES {
        check(&format!("src/{name}.rs"), "", &[(1, &refused(name))]);
        check(&format!("src/{name}/mod.rs"), "", &[(1, &refused(name))]);
    }
    check("src/database.rs", "", &[]);
}

#[test]
fn a_handler_has_25_lines_at_most() {
    let handler = |lines: usize| {
        let body = "    work();\n".repeat(lines - 2);
        let declared = "fn operations() {\n    get(show)\n}\n";
        format!("{declared}pub(crate) async fn show() {{\n{body}}}\n")
    };
    let route = "apps/gatehouse/src/areas/users/user.rs";
    check(route, &handler(25), &[]);
    check(
        route,
        &handler(26),
        &[(5, "a handler of 26 lines, more than 25")],
    );
    check("apps/gatehouse/src/server.rs", &handler(26), &[]);
    check(route, &handler(26).replace("get(show)", "get(list)"), &[]);
    let in_tests = format!("#[cfg(test)]\nmod tests {{\n}}\n{}", handler(26));
    check(
        route,
        &in_tests,
        &[(8, "a handler of 26 lines, more than 25")],
    );
}

#[test]
fn test_modules_are_no_product_lines() {
    let source =
        "one\n#[cfg(test)]\nmod tests {\n    two\n}\nthree\n#[cfg(test)]\nmod tests;\nfour\n";
    let lines: Vec<_> = product_lines(source).collect();
    assert_eq!(lines, [(1, "one"), (6, "three"), (9, "four")]);
}
