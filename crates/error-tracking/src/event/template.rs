//! Messages sent as a template with parameters, which are filled in as the program's language would.
//! Most SDKs do so themselves; some leave it to the server.

use serde_json::Value;

use super::bounded::cut;
use super::fields::any_text;
use super::model::Message;

/// The longest message, in characters.
pub(super) const MAX_LENGTH: usize = 8192;
/// Letters that may end a placeholder with a per cent sign.
const CONVERSIONS: &str = "sdiufFeEgGxXocrav";

impl Message {
    /// Fills in the parameters if the SDK did not.
    /// Runs after scrubbing, so that no secret among them gets into the text.
    pub(crate) fn fill_in(&mut self) {
        let Some(template) = &self.template else {
            return;
        };
        if *template != self.formatted || self.params.is_null() {
            return;
        }
        let filled = if template.contains('%') {
            fill_per_cent(template, &self.params)
        } else {
            fill_braces(template, &self.params)
        };
        if let Some(filled) = filled {
            self.formatted = cut(&filled, MAX_LENGTH);
        }
    }
}

/// Fills in `a %s of %(name)s`.
/// `None` if a placeholder has no parameter.
fn fill_per_cent(template: &str, params: &Value) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    let mut used = 0;
    while let Some((before, after)) = rest.split_once('%') {
        filled.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            filled.push('%');
            rest = after;
            continue;
        }
        let (name, after) = match after.strip_prefix('(') {
            Some(named) => named.split_once(')')?,
            None => ("", after),
        };
        let width = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | '#');
        let mut after = after.trim_start_matches(width).chars();
        after.next().filter(|c| CONVERSIONS.contains(*c))?;
        rest = after.as_str();
        push(&mut filled, param(params, name, &mut used)?)?;
    }
    Some(filled + rest)
}

/// Fills in `a {} of {name}`.
/// `None` if a placeholder has no parameter.
fn fill_braces(template: &str, params: &Value) -> Option<String> {
    let mut filled = String::new();
    let mut rest = template;
    let mut used = 0;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, after) = after.split_once('}')?;
        filled.push_str(before);
        let name = place.split_once(':').map_or(place, |(name, _)| name);
        push(&mut filled, param(params, name, &mut used)?)?;
        rest = after;
    }
    Some(filled + rest)
}

/// Parameter with this name or at this position of the list; the next one of the list if there is no name.
fn param<'p>(params: &'p Value, name: &str, used: &mut usize) -> Option<&'p Value> {
    if !name.is_empty() {
        let place = || params.get(name.parse::<usize>().ok()?);
        return params.get(name).or_else(place);
    }
    *used += 1;
    params.get(*used - 1)
}

/// Appends a parameter; `None` once the text is longer than any that is stored.
fn push(filled: &mut String, param: &Value) -> Option<()> {
    filled.push_str(&any_text(param));
    (filled.len() <= 4 * MAX_LENGTH).then_some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &str, params: Value) -> String {
        let mut message = Message {
            template: Some(template.to_owned()),
            formatted: template.to_owned(),
            params,
        };
        message.fill_in();
        message.formatted
    }

    #[test]
    fn parameters_are_put_in_their_places() {
        for (template, params, expected) in [
            (
                "order %s was not paid",
                json!(["7"]),
                "order 7 was not paid",
            ),
            ("%d of %5.2f%%: %r", json!([1, 2.5, null]), "1 of 2.5%: "),
            (
                "%(who)s paid %(sum)d",
                json!({"who": "ann", "sum": 3}),
                "ann paid 3",
            ),
            ("{} and {}", json!(["a", ["b", "c"]]), "a and [\"b\",\"c\"]"),
            ("{1} and {0:>5}", json!(["a", "b"]), "b and a"),
            ("{who} paid", json!({"who": "ann"}), "ann paid"),
        ] {
            assert_eq!(filled(template, params), expected, "{template}");
        }
    }

    #[test]
    fn a_template_that_its_parameters_do_not_fit_stays_as_it_is() {
        for (template, params) in [
            ("%s and %s", json!(["a"])),
            ("%(who)s", json!(["a"])),
            ("%(who", json!({"who": "a"})),
            ("100 % sure", json!(["a"])),
            ("%", json!(["a"])),
            ("{who", json!({"who": "a"})),
            ("{}", json!({"who": "a"})),
            ("%s", json!("text")),
            ("plain", json!(["a"])),
            ("%s", Value::Null),
        ] {
            assert_eq!(filled(template, params), template);
        }
        let long = json!({ "x": "y".repeat(4000) });
        let template = "%(x)s".repeat(1000);
        assert_eq!(filled(&template, long), template);
    }

    #[test]
    fn messages_formatted_by_the_sdk_are_kept() {
        let mut message = Message {
            template: Some("a %s".to_owned()),
            formatted: "a b".to_owned(),
            params: json!(["c"]),
        };
        message.fill_in();
        assert_eq!(message.formatted, "a b");
    }
}
