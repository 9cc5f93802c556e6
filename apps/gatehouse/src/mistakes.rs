//! Mistakes in a command, collected so that all of them are reported at once.

use anyhow::Error;

/// Mistakes of one command.
#[derive(Debug, Default)]
pub(crate) struct Mistakes(Vec<Error>);

impl Mistakes {
    /// Returns the value, or records the error.
    pub(crate) fn take<T, E: Into<Error>>(&mut self, outcome: Result<T, E>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.push(error.into());
                None
            }
        }
    }

    /// Combines all mistakes into one error.
    /// A single mistake is returned unchanged.
    pub(crate) fn into_error(mut self) -> Error {
        if self.0.len() == 1
            && let Some(only) = self.0.pop()
        {
            return only;
        }
        let lines: Vec<String> = self
            .0
            .iter()
            .map(|error| format!("\n  - {error:#}"))
            .collect();
        anyhow::anyhow!(
            "the command has {} mistakes:{}",
            lines.len(),
            lines.concat()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_mistake_stays_as_it_is_and_several_are_listed() {
        let mut mistakes = Mistakes::default();
        assert_eq!(mistakes.take(Ok::<_, Error>(1)), Some(1));
        let wrong = |text: &'static str| Err::<(), _>(anyhow::anyhow!(text).context("outer"));
        assert_eq!(mistakes.take(wrong("first")), None);
        let mut two = Mistakes::default();
        two.take(wrong("first"));
        two.take(wrong("second"));
        assert_eq!(format!("{:#}", mistakes.into_error()), "outer: first");
        assert_eq!(
            two.into_error().to_string(),
            "the command has 2 mistakes:\n  - outer: first\n  - outer: second"
        );
    }
}
