//! Parameters of a sign-out request.

use crate::flow::authorize::ParameterError;

/// Parameters that an application sent through the user's browser (section 2). Others, such as `logout_hint` and
/// `ui_locales`, are ignored, and one without a value counts as absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EndSessionParameters {
    /// Id token of the user and the session to sign out.
    pub id_token_hint: Option<String>,
    /// Client id of the application.
    pub client_id: Option<String>,
    /// Address to which the browser goes afterwards.
    pub post_logout_redirect_uri: Option<String>,
    /// State to return to the application there.
    pub state: Option<String>,
}

impl EndSessionParameters {
    /// Parses decoded pairs of names and values. Decoders put U+FFFD in place of bytes that are not text.
    ///
    /// # Errors
    /// The first malformed parameter.
    pub fn from_pairs<'p>(
        pairs: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Result<Self, ParameterError> {
        let mut read = Self::default();
        let mut seen = Vec::new();
        for (name, value) in pairs {
            let stem = name.split('[').next().unwrap_or_default();
            let is_list = stem != name;
            let Some((name, field)) = read.field(stem) else {
                continue;
            };
            if is_list {
                return Err(ParameterError::List(name));
            }
            if seen.contains(&name) {
                return Err(ParameterError::Repeated(name));
            }
            if value.contains(['\0', char::REPLACEMENT_CHARACTER]) {
                return Err(ParameterError::NotText(name));
            }
            *field = (!value.is_empty()).then(|| value.to_owned());
            seen.push(name);
        }
        Ok(read)
    }

    /// True if a parameter of this name, alone or as a list, has a meaning in a request.
    pub fn knows(name: &str) -> bool {
        let stem = name.split('[').next().unwrap_or_default();
        Self::default().field(stem).is_some()
    }

    fn field(&mut self, name: &str) -> Option<(&'static str, &mut Option<String>)> {
        Some(match name {
            "id_token_hint" => ("id_token_hint", &mut self.id_token_hint),
            "client_id" => ("client_id", &mut self.client_id),
            "post_logout_redirect_uri" => (
                "post_logout_redirect_uri",
                &mut self.post_logout_redirect_uri,
            ),
            "state" => ("state", &mut self.state),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parameter_is_one_text() {
        let cases = [
            (
                [("state", "a"), ("state", "a")],
                ParameterError::Repeated("state"),
            ),
            (
                [("x", ""), ("client_id[]", "a")],
                ParameterError::List("client_id"),
            ),
            (
                [("x", ""), ("state", "a\0b")],
                ParameterError::NotText("state"),
            ),
        ];
        for (pairs, expected) in cases {
            assert_eq!(EndSessionParameters::from_pairs(pairs), Err(expected));
        }
        let pairs = [("state", ""), ("client_id", "a"), ("logout_hint", "b")];
        let expected = EndSessionParameters {
            client_id: Some("a".to_owned()),
            ..EndSessionParameters::default()
        };
        assert_eq!(EndSessionParameters::from_pairs(pairs), Ok(expected));
    }
}
