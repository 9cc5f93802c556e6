//! Names of types: each names one type of the workspace.

use std::collections::BTreeMap;

/// The declarations of types by name, each with its file.
#[derive(Debug, Default)]
pub(super) struct TypeNames {
    files: BTreeMap<String, Vec<String>>,
}

impl TypeNames {
    /// Adds the types that a source declares. Associated types are no declarations of their own.
    pub(super) fn add(&mut self, file: &str, source: &str) {
        for name in source.lines().filter_map(declared) {
            self.files
                .entry(name.to_owned())
                .or_default()
                .push(file.to_owned());
        }
    }

    /// Declarations of names that are declared more than once, by file.
    pub(super) fn faults(&self) -> Vec<(String, String)> {
        let shared = self.files.iter().filter(|(_, files)| files.len() > 1);
        let fault = |(name, files): (&String, &Vec<String>)| {
            let fault = format!("`{name}` names {} types", files.len());
            files
                .iter()
                .map(|file| (file.clone(), fault.clone()))
                .collect::<Vec<_>>()
        };
        shared.flat_map(fault).collect()
    }
}

/// The name that a line declares a type by.
fn declared(line: &str) -> Option<&str> {
    let is_nested = line.starts_with(' ');
    let mut rest = line.trim_start();
    if let Some(behind) = rest.strip_prefix("pub(") {
        rest = behind.split_once(") ")?.1;
    }
    rest = rest.strip_prefix("pub ").unwrap_or(rest);
    let (keyword, rest) = rest.split_once(' ')?;
    let is_type = matches!(keyword, "struct" | "enum" | "trait" | "union");
    if !is_type && (keyword != "type" || is_nested) {
        return None;
    }
    let name = rest
        .split(|letter: char| !letter.is_alphanumeric())
        .next()?;
    name.starts_with(char::is_uppercase).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_two_types_is_found_in_both_files() {
        let mut names = TypeNames::default();
        names.add(
            "a.rs",
            "pub struct Row {\nimpl X for Y {\n    type Output = Z;\n}\npub(crate) enum Kind {\n",
        );
        names.add(
            "b.rs",
            "struct Row(u8);\ntype Kinds<T> = Vec<T>;\n    type Output = Z;\n",
        );
        let expected = [
            ("a.rs", "`Row` names 2 types"),
            ("b.rs", "`Row` names 2 types"),
        ];
        let expected = expected.map(|(file, fault)| (file.to_owned(), fault.to_owned()));
        assert_eq!(names.faults(), expected);
    }

    #[test]
    fn declarations_of_all_kinds_are_known() {
        for (line, name) in [
            ("pub struct A<T> {", "A"),
            ("    pub(super) struct B;", "B"),
            ("pub(in crate::x) enum C {", "C"),
            ("trait D: E {", "D"),
            ("type F = u8;", "F"),
        ] {
            assert_eq!(declared(line), Some(name), "{line}");
        }
        for line in [
            "    type Error = X;",
            "pub fn f() {",
            "struct $name {",
            "use a::B;",
        ] {
            assert_eq!(declared(line), None, "{line}");
        }
    }
}
