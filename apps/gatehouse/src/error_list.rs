//! Errors of a command, collected so that all of them are reported at once.

use anyhow::Error;

/// Errors of one command.
#[derive(Debug, Default)]
pub(crate) struct ErrorList(Vec<Error>);

impl ErrorList {
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
        anyhow::anyhow!("the command has {} errors:{}", lines.len(), lines.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_error_is_unchanged_and_several_are_listed() {
        let mut errors = ErrorList::default();
        assert_eq!(errors.take(Ok::<_, Error>(1)), Some(1));
        let wrong = |text: &'static str| Err::<(), _>(anyhow::anyhow!(text).context("outer"));
        assert_eq!(errors.take(wrong("first")), None);
        let mut two = ErrorList::default();
        two.take(wrong("first"));
        two.take(wrong("second"));
        assert_eq!(format!("{:#}", errors.into_error()), "outer: first");
        assert_eq!(
            two.into_error().to_string(),
            "the command has 2 errors:\n  - outer: first\n  - outer: second"
        );
    }
}
