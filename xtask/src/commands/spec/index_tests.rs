//! Tests are found where they are, and nowhere else.

use super::*;

/// Index of one package with these files.
fn index(package: &str, sources: &[(&str, &str)]) -> TestIndex {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in sources {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut index = TestIndex::default();
    index.add_package(package, directory.path()).unwrap();
    index
}

fn check(package: &str, sources: &[(&str, &str)], expected: &[(&str, Lookup)]) {
    let index = index(package, sources);
    for (name, lookup) in expected {
        assert_eq!(index.look_up(name), *lookup, "{name} in {index:?}");
    }
}

#[test]
fn a_test_is_named_by_its_file_and_its_modules() {
    let test =
        "mod tests {\n    #[test]\n    fn it_holds() {\n    }\n}\n#[test]\nfn outside() {}\n";
    check(
        "one",
        &[
            ("src/lib.rs", test),
            ("src/rules/mod.rs", test),
            ("src/rules/size.rs", test),
            ("tests/api/main.rs", test),
            ("tests/api/alerts/list.rs", test),
            ("tests/single.rs", test),
        ],
        &[
            ("one: tests::it_holds", Lookup::Found),
            ("one: outside", Lookup::Found),
            ("one: rules::tests::it_holds", Lookup::Found),
            ("one: rules::size::tests::it_holds", Lookup::Found),
            ("one: rules::size::outside", Lookup::Found),
            ("one/api: tests::it_holds", Lookup::Found),
            ("one/api: alerts::list::outside", Lookup::Found),
            ("one/single: outside", Lookup::Found),
            ("one: it_holds", Lookup::Missing),
            ("two: outside", Lookup::Missing),
        ],
    );
}

#[test]
fn only_functions_with_the_attribute_are_tests() {
    let source = "fn helper() {}\n\n#[test]\n#[expect(\n    lint,\n    reason = \"r\"\n)]\nfn far() {}\n\
        #[actix_web::test]\nasync fn served() {}\n#[derive(Debug)]\nfn derived() {}\n\
        #[test]\nfn one() {}\nfn after() {}\n#[cfg(test)]\nfn built_for_tests() {}\n";
    check(
        "one",
        &[("src/lib.rs", source)],
        &[
            ("one: far", Lookup::Found),
            ("one: served", Lookup::Found),
            ("one: one", Lookup::Found),
            ("one: helper", Lookup::Missing),
            ("one: derived", Lookup::Missing),
            ("one: after", Lookup::Missing),
            ("one: built_for_tests", Lookup::Missing),
        ],
    );
}

#[test]
fn a_test_that_is_left_out_is_known_as_such() {
    let source = "#[test]\n#[ignore = \"slow\"]\nfn slow() {}\n#[test]\nfn quick() {}\n";
    check(
        "one",
        &[("src/lib.rs", source)],
        &[
            ("one: slow", Lookup::Ignored),
            ("one: quick", Lookup::Found),
        ],
    );
}

#[test]
fn a_case_of_the_suite_counts_when_a_suite_lists_it() {
    let sources = [
        (
            "src/alerts/mod.rs",
            "suite! {\n    counters {\n        listed,\n        long,\n        helper,\n        with_need needs X,\n    }\n    [Entity] {\n        standard = clauses::x,\n        also = lists::y needs X,\n    }\n}\n",
        ),
        (
            "src/alerts/counters.rs",
            "pub(crate) fn listed<H: Harness>(h: &H) {}\nfn with_need(harness: &mut AreaHarness<X>) {}\nfn long(\n    harness: &mut X,\n) {}\nfn forgotten(harness: &mut X) {}\nfn helper(store: &X) {}\n",
        ),
    ];
    check(
        SUITE,
        &sources,
        &[
            (
                "storage-conformance: alerts::counters::listed",
                Lookup::Found,
            ),
            (
                "storage-conformance: alerts::counters::with_need",
                Lookup::Found,
            ),
            ("storage-conformance: alerts::counters::long", Lookup::Found),
            (
                "storage-conformance: alerts::counters::helper",
                Lookup::Missing,
            ),
            ("storage-conformance: alerts::standard", Lookup::Found),
            ("storage-conformance: alerts::also", Lookup::Found),
            (
                "storage-conformance: alerts::counters::forgotten",
                Lookup::Missing,
            ),
        ],
    );
    check(
        "other",
        &sources,
        &[("other: alerts::counters::listed", Lookup::Missing)],
    );
}
