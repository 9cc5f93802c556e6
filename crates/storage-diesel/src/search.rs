//! Searching for a part of a text.

/// The pattern of texts that hold `text`, for `LIKE … ESCAPE '\'` over a column in lower case. What `text` would
/// mean to the pattern language is escaped.
pub(crate) fn pattern(text: &str) -> String {
    let escaped = text
        .to_lowercase()
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    format!("%{escaped}%")
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn wildcards_stand_for_themselves() {
        assert_eq!(pattern("50%_\\A"), "%50\\%\\_\\\\a%");
    }
}
