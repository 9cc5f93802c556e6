//! Rules for giving roles (`AUTH-11`).
//! Pure rules: the flows query the store for the data.

use api_conventions::access::AccessLevel;
use api_conventions::time::CalendarDate;

/// Minimum role to manage the members of a place.
pub const fn min_manager_level(is_project: bool) -> AccessLevel {
    if is_project {
        AccessLevel::Maintainer
    } else {
        AccessLevel::Owner
    }
}

/// True if a user with the role `own` may give the role `given`, or change or remove it.
/// No user can reach above their own role.
pub fn reaches(own: AccessLevel, given: AccessLevel) -> bool {
    given <= own
}

/// Error text for a role below the one that the user inherits from a group with this name; `None` if the role is valid.
pub fn below_inherited(
    given: AccessLevel,
    inherited: Option<AccessLevel>,
    group: &str,
) -> Option<String> {
    let inherited = inherited.filter(|inherited| given < *inherited)?;
    let name = name_of(inherited);
    Some(format!(
        "should be greater than or equal to {name} inherited membership from group {group}"
    ))
}

/// True if a day is valid as a day of expiry: the role counts at least today.
pub fn is_expiry(day: CalendarDate, today: CalendarDate) -> bool {
    today < day
}

/// The name of a role.
pub const fn name_of(level: AccessLevel) -> &'static str {
    match level {
        AccessLevel::Guest => "Guest",
        AccessLevel::Reporter => "Reporter",
        AccessLevel::Developer => "Developer",
        AccessLevel::Maintainer => "Maintainer",
        AccessLevel::Owner => "Owner",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_cannot_manage_roles_above_their_own() {
        for own in AccessLevel::ALL {
            for given in AccessLevel::ALL {
                assert_eq!(reaches(own, given), given.number() <= own.number());
            }
        }
    }

    #[test]
    fn a_role_below_the_inherited_one_is_refused_in_words() {
        let (low, high) = (AccessLevel::Guest, AccessLevel::Developer);
        let words =
            "should be greater than or equal to Developer inherited membership from group top";
        assert_eq!(
            below_inherited(low, Some(high), "top").as_deref(),
            Some(words)
        );
        assert_eq!(below_inherited(high, Some(high), "top"), None);
        assert_eq!(below_inherited(high, Some(low), "top"), None);
        assert_eq!(below_inherited(low, None, "top"), None);
    }

    #[test]
    fn a_role_expires_tomorrow_at_the_earliest() {
        let day = |text| CalendarDate::parse(text).unwrap();
        let today = day("2024-02-29");
        assert!(!is_expiry(day("2024-02-28"), today) && !is_expiry(today, today));
        assert!(is_expiry(day("2024-03-01"), today));
    }
}
