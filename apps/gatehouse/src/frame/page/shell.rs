//! The frame that all pages have.

use accounts::User;
use actix_web::HttpRequest;

use crate::frame::cookies;
use crate::frame::csrf;
use crate::frame::page::assets::{ICON, SCRIPT, STYLESHEET};
use crate::frame::page::notice::Notice;
use crate::frame::page::shown_name::ShownName;
use crate::frame::page::side::Side;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// The part of the pages in which a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On the way in, or at something that wants all attention: there is no search and no script.
    Elsewhere,
    /// Where everybody begins.
    Home,
    /// The lists of projects.
    Projects,
    /// In a project.
    Project,
    /// The lists of groups.
    Groups,
    /// In a group.
    Group,
    /// The page of a user.
    User,
    /// Who you are.
    Profile,
    /// Your applications.
    Applications,
    /// The schedule of what goes.
    Deprecations,
    /// The applications of the instance.
    Administration,
}

/// Who is signed in, as the frame shows it.
#[derive(Debug, Clone)]
pub struct ShownUser {
    /// The username.
    pub username: String,
    /// The name.
    pub name: String,
    /// Whether to show what administrators see.
    pub is_admin: bool,
}

impl ShownUser {
    /// The first letter of the name, for the round sign of the own menu.
    pub fn initial(&self) -> String {
        initial(&self.name)
    }
}

/// The first letter of a name, for the round sign of a user.
pub fn initial(name: &str) -> String {
    let letter = name.trim().chars().find(|c| c.is_alphanumeric());
    letter.map_or_else(|| "?".to_owned(), |c| c.to_uppercase().collect())
}

/// A step of the way to a page.
#[derive(Debug, Clone)]
pub struct Crumb {
    /// What it is called.
    pub name: ShownName,
    /// Where it is, below the root of the server; nothing where it has no page.
    pub path: Option<String>,
}

/// The frame of a page.
#[derive(Debug, Clone)]
pub struct Shell {
    /// What the page is called.
    pub title: String,
    /// Where it is.
    pub place: Place,
    /// Who is signed in.
    pub user: Option<ShownUser>,
    /// The token for forms.
    pub csrf: String,
    /// The name of its field.
    pub csrf_field: &'static str,
    /// What was done before.
    pub notice: Option<Notice>,
    /// What every address of ours begins with.
    pub root: String,
    /// Where the stylesheet is.
    pub stylesheet: String,
    /// Where the icon is.
    pub icon: String,
    /// Where the script is. Pages on the way in have none.
    pub script: Option<String>,
    /// The way to the page, from the outermost group.
    pub crumbs: Vec<Crumb>,
    /// The list beside the page, in a project or a group.
    pub side: Option<Side>,
    /// Where projects are searched for.
    pub search: Option<&'static str>,
    /// What is being searched for.
    pub sought: String,
}

impl Shell {
    /// The frame of a page for this visitor.
    pub fn new(
        request: &HttpRequest,
        state: &AppState,
        visitor: &Visitor,
        place: Place,
        title: impl Into<String>,
    ) -> Self {
        let notice = cookies::notice_word(request, state);
        Self {
            title: title.into(),
            place,
            user: visitor.user().map(ShownUser::of),
            csrf: visitor.csrf_token(),
            csrf_field: csrf::FIELD,
            notice: notice.and_then(|word| Notice::parse(&word)),
            root: state.mount.prefix().to_owned(),
            stylesheet: STYLESHEET.path(),
            icon: ICON.path(),
            script: (place != Place::Elsewhere).then(|| SCRIPT.path()),
            crumbs: Vec::new(),
            side: None,
            search: (place != Place::Elsewhere).then(|| match visitor.signed_in() {
                Some(_) => "/dashboard/projects",
                None => "/explore/projects",
            }),
            sought: String::new(),
        }
    }

    /// Whether the page is in this part.
    pub fn is_in(&self, place: Place) -> bool {
        self.place == place
    }
}

impl ShownUser {
    fn of(user: &User) -> Self {
        Self {
            username: user.username.as_str().to_owned(),
            name: user.name.clone(),
            is_admin: user.is_admin,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// All templates below a directory.
    fn templates(directory: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .flat_map(|path| {
                if path.is_dir() {
                    templates(&path)
                } else {
                    vec![path]
                }
            })
            .filter(|path| path.extension().is_some_and(|end| end == "html"))
            .collect()
    }

    /// Otherwise a server below a path of its host would lead browsers out of it. What leads elsewhere is called so.
    #[test]
    fn every_address_in_a_template_begins_with_the_root() {
        let mut addresses = 0;
        // Cargo runs tests in the directory of their package.
        for path in templates(Path::new("src")) {
            let text = fs::read_to_string(&path).unwrap();
            for attribute in ["href=\"", "action=\"", "src=\""] {
                for address in text.split(attribute).skip(1) {
                    let begins = |start| address.starts_with(start);
                    let starts = ["{{ shell.root }}", "{{ root }}", "{{ outside }}"];
                    let is_ours = starts.into_iter().any(begins);
                    assert!(
                        is_ours || begins("#"),
                        "{}: {attribute}{address}",
                        path.display()
                    );
                    addresses += 1;
                }
            }
        }
        assert!(addresses > 30, "{addresses} addresses");
    }
}
