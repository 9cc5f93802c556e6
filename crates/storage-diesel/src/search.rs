//! Substring search.

/// Returns the pattern of texts that contain `text`, for `lower(column) LIKE lower(…) ESCAPE '\'`.
/// Wildcards in `text` are escaped. The database converts both sides to lower case, because a letter that only one side
/// knows would never match.
pub(crate) fn pattern(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_");
    format!("%{escaped}%")
}

/// Condition that one of two columns, the second of which may be null, contains `$text`, case-insensitively.
#[cfg(feature = "projects")]
macro_rules! either_holds {
    ($first:literal, $second:literal, $text:expr) => {
        diesel::dsl::sql::<diesel::sql_types::Bool>(concat!("(lower(", $first, ") LIKE lower("))
            .bind::<diesel::sql_types::Text, _>(crate::search::pattern($text))
            .sql(concat!(
                ") ESCAPE '\\' OR lower(coalesce(",
                $second,
                ", '')) LIKE lower("
            ))
            .bind::<diesel::sql_types::Text, _>(crate::search::pattern($text))
            .sql(") ESCAPE '\\')")
    };
}

#[cfg(feature = "projects")]
pub(crate) use either_holds;

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn wildcards_in_search_terms_are_escaped() {
        assert_eq!(pattern("50%_\\A"), "%50\\%\\_\\\\A%");
    }
}
