//! Status that a user shows to others: an emoji, a message, and whether they are busy.

use api_conventions::time::Timestamp;

api_conventions::named! {
    /// Availability of a user.
    pub enum Availability {
        /// Nothing is known.
        NotSet = 0, "not_set";
        /// Busy.
        Busy = 1, "busy";
    }
}

/// Status of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserStatus {
    /// Name of an emoji, such as `coffee`.
    pub emoji: String,
    /// Message, of at most [`Self::MAX_MESSAGE`] characters; may be empty.
    pub message: String,
    /// Availability.
    pub availability: Availability,
    /// First instant at which the status is no longer shown; `None` if it stays.
    pub clear_at: Option<Timestamp>,
}

impl UserStatus {
    /// Longest message, in characters.
    pub const MAX_MESSAGE: usize = 100;
    /// Longest name of an emoji, in characters.
    pub const MAX_EMOJI: usize = 64;
    /// Emoji of a status without one.
    pub const DEFAULT_EMOJI: &str = "speech_balloon";

    /// True if the status is no longer shown at `now`.
    pub fn is_cleared(&self, now: Timestamp) -> bool {
        self.clear_at.is_some_and(|at| at <= now)
    }
}

/// True if a text has the form of an emoji's name: letters, digits, `_`, `-` and `+`.
pub fn is_emoji_name(text: &str) -> bool {
    let is_plain = |letter: char| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_-+".contains(letter)
    };
    !text.is_empty() && text.len() <= UserStatus::MAX_EMOJI && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_emoji_are_short_words() {
        for name in ["coffee", "+1", "non-potable_water", "100"] {
            assert!(is_emoji_name(name), "{name}");
        }
        for text in ["", "Coffee", ":coffee:", "<b>", "a b", &"x".repeat(65)] {
            assert!(!is_emoji_name(text), "{text}");
        }
    }
}
