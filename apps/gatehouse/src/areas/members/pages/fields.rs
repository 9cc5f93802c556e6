//! Values of the member and share forms.

use api_conventions::access::AccessLevel;
use api_conventions::error::ValidationFailures;
use api_conventions::time::CalendarDate;
use projects::rules::members::name_of;

use crate::frame::form::PageForm;
use crate::frame::page::field_failures::check_days;
use crate::frame::page::format::sentences;
use crate::frame::page::list::Choice;

/// Recipient, role and expiry date, as entered.
#[derive(Debug, Clone, Default)]
pub(super) struct MemberFormValues {
    /// Username, or full path of a group.
    pub(super) who: String,
    /// Number of the role.
    pub(super) level: String,
    /// Expiry date; empty for none.
    /// Access ends on this day.
    pub(super) expires: String,
}

/// Field names of one form.
pub(super) struct FieldNames {
    /// Field of the recipient.
    pub(super) who: &'static str,
    /// Field of the role.
    pub(super) level: &'static str,
    /// Label of the recipient in error messages.
    pub(super) subject: &'static str,
}

/// Field names of the member form.
pub(super) const MEMBER: FieldNames = FieldNames {
    who: "username",
    level: "access_level",
    subject: "The user",
};

/// Field names of the share form.
pub(super) const SHARE: FieldNames = FieldNames {
    who: "group",
    level: "group_access",
    subject: "The group",
};

const EXPIRES: &str = "expires_at";

/// Error messages per field.
#[derive(Default)]
pub(super) struct MemberFormErrors {
    pub(super) who: Vec<String>,
    pub(super) level: Vec<String>,
    pub(super) expires: Vec<String>,
}

impl MemberFormValues {
    /// Reads the values of a form.
    pub(super) fn from_form(form: &PageForm, names: &FieldNames) -> Self {
        let line = |name| form.text(name).trim().to_owned();
        Self {
            who: line(names.who).trim_start_matches('@').to_owned(),
            level: line(names.level),
            expires: line(EXPIRES),
        }
    }

    /// Parses the role and the expiry date.
    ///
    /// # Errors
    /// Invalid fields.
    pub(super) fn parse(
        &self,
        names: &FieldNames,
    ) -> Result<(AccessLevel, Option<CalendarDate>), ValidationFailures> {
        let mut failures = ValidationFailures::default();
        check_days(&mut failures, &[(EXPIRES, &self.expires)]);
        let number = self.level.parse().ok();
        let level = number.and_then(AccessLevel::from_number);
        match level {
            Some(level) if failures.is_empty() => Ok((level, CalendarDate::parse(&self.expires))),
            Some(_) => Err(failures),
            None => {
                failures.add(names.level, "does not have a valid value");
                Err(failures)
            }
        }
    }
}

impl MemberFormErrors {
    /// Builds the error messages of a form.
    pub(super) fn new(failures: &ValidationFailures, names: &FieldNames) -> Self {
        let of = |field, subject| sentences(subject, failures.of(field));
        let mut level = of(names.level, "The role");
        level.extend(of("base", "The project cannot be shared:"));
        let mut who = of(names.who, names.subject);
        who.extend(of("group_id", names.subject));
        Self {
            who,
            level,
            expires: of(EXPIRES, "The expiry date"),
        }
    }

    /// True if there are no messages.
    pub(super) fn is_empty(&self) -> bool {
        self.who.is_empty() && self.level.is_empty() && self.expires.is_empty()
    }
}

/// Role choices, limited by `may`, with the current one selected.
pub(super) fn roles(may: impl Fn(AccessLevel) -> bool, chosen: &str) -> Vec<Choice> {
    let levels = AccessLevel::ALL.into_iter().filter(|level| may(*level));
    let choice = |level| Choice {
        value: word_of(level),
        name: name_of(level).to_owned(),
        is_chosen: word_of(level) == chosen,
    };
    levels.map(choice).collect()
}

/// Form value of a role: its number.
pub(super) const fn word_of(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Guest => "10",
        AccessLevel::Reporter => "20",
        AccessLevel::Developer => "30",
        AccessLevel::Maintainer => "40",
        AccessLevel::Owner => "50",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_sent_by_the_numbers_of_the_api() {
        for level in AccessLevel::ALL {
            assert_eq!(word_of(level), level.number().to_string());
        }
        let offered = roles(|level| level <= AccessLevel::Reporter, "20");
        let names: Vec<&str> = offered.iter().map(|choice| &*choice.name).collect();
        assert_eq!(names, ["Guest", "Reporter"]);
        assert!(offered[1].is_chosen && !offered[0].is_chosen);
    }

    #[test]
    fn invalid_values_are_reported_at_their_field() {
        let written = MemberFormValues {
            who: "ann".to_owned(),
            level: "35".to_owned(),
            expires: "soon".to_owned(),
        };
        let failures = written.parse(&MEMBER).unwrap_err();
        assert_eq!(failures.of("access_level"), ["does not have a valid value"]);
        assert_eq!(failures.of("expires_at"), ["is invalid"]);
    }
}
