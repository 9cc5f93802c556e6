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

/// The condition that one of two columns, the second of which may be null, has `$text` in it, in any case.
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
    fn wildcards_stand_for_themselves() {
        assert_eq!(pattern("50%_\\A"), "%50\\%\\_\\\\A%");
    }
}
