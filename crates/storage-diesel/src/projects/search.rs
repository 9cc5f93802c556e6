//! Searching for a part of a text.

/// The pattern of texts that hold `text`, for `lower(column) LIKE lower(…) ESCAPE '\'`. What `text` would mean to the
/// pattern language is escaped. The database puts both sides into lower case, because a letter that one side knows
/// and the other does not would never be found.
pub(crate) fn pattern(text: &str) -> String {
    let escaped = text
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
        assert_eq!(pattern("50%_\\A"), "%50\\%\\_\\\\A%");
    }
}
