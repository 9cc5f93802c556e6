//! Wording of scopes: for the user whom they concern, and for the pages of others.

use api_conventions::scope::Scope;
use oauth_provider::ScopeEntry;

use super::format::ScopeText;

/// Addressee of the description of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeWording {
    /// The user whose data the scope opens.
    ToUser,
    /// Somebody else, such as the administrator who lists the tokens of a user, or a manager of a project's bots.
    ToOthers,
}

impl ScopeWording {
    /// Describes a scope.
    pub fn text_of(self, entry: &ScopeEntry) -> ScopeText {
        let text = ScopeText::of(entry);
        match (self, neutral(&text.word)) {
            (Self::ToOthers, Some((title, sentence))) => ScopeText {
                title: title.to_owned(),
                sentence: sentence.to_owned(),
                ..text
            },
            _ => text,
        }
    }
}

/// Returns the title and the description of a scope without "you"; `None` if the usual texts have none.
fn neutral(word: &str) -> Option<(&'static str, &'static str)> {
    let is = |scope: &Scope| scope.as_str() == word;
    let texts = [
        (
            Scope::API,
            "Full access",
            "Read and change everything that the user of the token can, including the profile and the email address.",
        ),
        (
            Scope::READ_API,
            "Read everything",
            "Read everything that the user of the token can, including the profile and the email address, without changing anything.",
        ),
        (
            Scope::READ_USER,
            "Read the profile",
            "See the name, the username, the email address and the state of the account.",
        ),
        (
            Scope::READ_REPOSITORY,
            "Read repositories",
            "Fetch the repositories that the user of the token can read, over Git.",
        ),
        (
            Scope::WRITE_REPOSITORY,
            "Write repositories",
            "Fetch and push to the repositories that the user of the token can write to, over Git, and report pushes to their activity feeds.",
        ),
        (
            Scope::READ_REGISTRY,
            "Pull images",
            "Pull images from the container registries of the projects that the user of the token can read.",
        ),
        (
            Scope::WRITE_REGISTRY,
            "Push images",
            "Push images to the container registries of the projects that the user of the token can write to.",
        ),
        (
            Scope::OPENID,
            "Identify the user",
            "See the user ID, the name, the username and the address of the profile.",
        ),
        (
            Scope::PROFILE,
            "See the name",
            "See the name, the username and the address of the profile.",
        ),
        (
            Scope::EMAIL,
            "See the email address",
            "See the email address and whether it was confirmed.",
        ),
        (
            Scope::GROUPS,
            "See the groups",
            "See the paths of all groups that the user of the token is a member of, including private ones.",
        ),
    ];
    let found = texts.into_iter().find(|(scope, ..)| is(scope));
    found.map(|(_, title, sentence)| (title, sentence))
}

#[cfg(test)]
mod tests {
    use gatehouse_core::scopes::registry;

    use super::*;

    #[test]
    fn texts_for_others_do_not_address_the_reader() {
        for entry in registry().entries() {
            let text = ScopeWording::ToOthers.text_of(entry);
            let words = format!("{} {}", text.title, text.sentence).to_lowercase();
            assert!(!words.contains("you"), "{words}");
            assert!(text.sentence.ends_with('.'), "{words}");
            assert_eq!(text.word, entry.scope().as_str());
        }
    }

    #[test]
    fn texts_for_the_user_are_those_of_the_registry() {
        for entry in registry().entries() {
            let text = ScopeWording::ToUser.text_of(entry);
            assert_eq!(text.title, entry.title());
            assert_eq!(text.sentence, entry.description());
        }
    }
}
