//! Stored forms of values, for adapters without columns, through serde.
//!
//! A stored form round-trips exactly, and is read through the same validation as a new value. It differs from the form
//! in bodies: a [`Timestamp`](crate::time::Timestamp) in a body ends with milliseconds, so stored types use
//! [`timestamp`] for their fields. [`stored_as_number!`](crate::stored_as_number) is for enumerations that have numbers
//! in rows.

/// Implements the stored form of enumerations: the number in rows. Each type must have `number` and `from_number`, like
/// those of [`named!`](crate::named); an unknown number is refused.
///
/// ```
/// api_conventions::named! {
///     /// How a thing stands.
///     pub enum State {
///         /// There is work left.
///         Open = 0, "open";
///         /// All is done.
///         Done = 1, "done";
///     }
/// }
///
/// api_conventions::stored_as_number!(State);
///
/// assert_eq!(serde_json::to_string(&State::Done)?, "1");
/// assert_eq!(serde_json::from_str::<State>("0")?, State::Open);
/// assert!(serde_json::from_str::<State>("2").is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[macro_export]
macro_rules! stored_as_number {
    ($($type:ty),+ $(,)?) => {$(
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_i16(self.number())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = <i16 as ::serde::Deserialize>::deserialize(deserializer)?;
                Self::from_number(number).ok_or_else(|| {
                    let text = format_args!("{number} is not a valid {}", stringify!($type));
                    <D::Error as ::serde::de::Error>::custom(text)
                })
            }
        }
    )+};
}

/// Stored form of a timestamp: microseconds since 1970. For `#[serde(with = "api_conventions::stored::timestamp")]`.
pub mod timestamp {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::time::Timestamp;

    /// Serializes the microseconds.
    ///
    /// # Errors
    /// Errors of the serializer.
    pub fn serialize<S: Serializer>(
        timestamp: &Timestamp,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(timestamp.as_micros())
    }

    /// Deserializes the microseconds.
    ///
    /// # Errors
    /// Errors of the deserializer, and numbers outside the years 1 to 9999.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let micros = i64::deserialize(deserializer)?;
        Timestamp::from_micros(micros)
            .ok_or_else(|| D::Error::custom(format_args!("{micros} is not a valid timestamp")))
    }
}

/// Stored form of an optional timestamp: that of [`timestamp`], or null.
pub mod optional_timestamp {
    use serde::{Deserialize, Deserializer, Serialize as _, Serializer};

    use crate::time::Timestamp;

    /// Timestamp in its stored form.
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct StoredTimestamp(#[serde(with = "super::timestamp")] Timestamp);

    /// Serializes the microseconds, or null.
    ///
    /// # Errors
    /// Errors of the serializer.
    pub fn serialize<S: Serializer>(
        timestamp: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        timestamp.map(Timestamp::as_micros).serialize(serializer)
    }

    /// Deserializes the microseconds, or null.
    ///
    /// # Errors
    /// Errors of the deserializer, and numbers outside the years 1 to 9999.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let stored = Option::<StoredTimestamp>::deserialize(deserializer)?;
        Ok(stored.map(|stored| stored.0))
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use crate::ids::ProjectId;
    use crate::secret::SecretDigest;
    use crate::time::{CalendarDate, Timestamp};

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct StoredRow {
        id: ProjectId,
        #[serde(with = "super::timestamp")]
        at: Timestamp,
        #[serde(with = "super::optional_timestamp")]
        end: Option<Timestamp>,
        day: CalendarDate,
        key: SecretDigest,
    }

    #[test]
    fn a_row_comes_back_with_every_microsecond() {
        let mut row = StoredRow {
            id: ProjectId::new(i64::MAX),
            at: Timestamp::MIN,
            end: Some(Timestamp::MAX),
            day: CalendarDate::LAST,
            key: SecretDigest::of("secret"),
        };
        for _ in 0..2 {
            let text = serde_json::to_string(&row).unwrap();
            assert_eq!(
                serde_json::from_str::<StoredRow>(&text).unwrap(),
                row,
                "{text}"
            );
            row.end = None;
        }
    }

    #[test]
    fn a_value_that_cannot_be_is_not_read() {
        let stored = |at: &str, end: &str, day: &str| {
            let key = serde_json::to_string(&[0_u8; 32]).unwrap();
            let text = format!(r#"{{"id":1,"at":{at},"end":{end},"day":"{day}","key":{key}}}"#);
            serde_json::from_str::<StoredRow>(&text)
        };
        assert!(stored("0", "null", "2024-02-29").is_ok());
        assert!(stored("253402300800000000", "null", "2024-02-29").is_err());
        assert!(stored("0", "253402300800000000", "2024-02-29").is_err());
        assert!(stored("\"1970-01-01T00:00:00.000Z\"", "null", "2024-02-29").is_err());
        assert!(stored("0", "null", "2023-02-29").is_err());
    }
}
