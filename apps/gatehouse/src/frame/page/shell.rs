//! Frame of all pages.

use accounts::User;
use actix_web::HttpRequest;

use crate::frame::cookies;
use crate::frame::csrf;
use crate::frame::page::assets::{ICON, SCRIPT, STYLESHEET};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::notice::Notice;
use crate::frame::page::side::Navigation;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Area of the site to which a page belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteArea {
    /// Sign-in, or a page that needs full attention: no search and no script.
    Focused,
    /// Home page.
    Home,
    /// The lists of projects.
    Projects,
    /// Page of a project.
    Project,
    /// The open alerts of the visitor's projects.
    Alerts,
    /// The environments of the visitor's projects.
    Environments,
    /// The lists of groups.
    Groups,
    /// Page of a group.
    Group,
    /// Page of a user.
    User,
    /// Profile of the signed-in user.
    Profile,
    /// Applications of the signed-in user.
    Applications,
    /// Personal access tokens of the signed-in user.
    AccessTokens,
    /// Snippets of the signed-in user, or of all users.
    Snippets,
    /// Deprecation schedule.
    Deprecations,
    /// Applications of the instance.
    Administration,
}

/// Signed-in user, as the frame shows it.
#[derive(Debug, Clone)]
pub struct UserMenu {
    /// The username.
    pub username: String,
    /// The name.
    pub name: String,
    /// True if administrator items are shown.
    pub is_admin: bool,
}

impl UserMenu {
    /// First letter of the name, for the avatar in the user's menu.
    pub fn initial(&self) -> String {
        initial(&self.name)
    }
}

/// First letter of a name, for the avatar of a user.
pub fn initial(name: &str) -> String {
    let letter = name.trim().chars().find(|c| c.is_alphanumeric());
    letter.map_or_else(|| "?".to_owned(), |c| c.to_uppercase().collect())
}

/// Breadcrumb.
#[derive(Debug, Clone)]
pub struct PageBreadcrumb {
    /// Name of the breadcrumb.
    pub name: DisplayName,
    /// Path of its page, below the root of the server; `None` if it has no page.
    pub path: Option<String>,
}

/// Frame of a page.
#[derive(Debug, Clone)]
pub struct Shell {
    /// Title of the page.
    pub title: String,
    /// Area of the page.
    pub place: SiteArea,
    /// Signed-in user.
    pub user: Option<UserMenu>,
    /// CSRF token for forms.
    pub csrf: String,
    /// Name of the token's field.
    pub csrf_field: &'static str,
    /// Notice about the previous action.
    pub notice: Option<Notice>,
    /// Prefix of all our addresses.
    pub root: String,
    /// Path of the stylesheet.
    pub stylesheet: String,
    /// Path of the icon.
    pub icon: String,
    /// Path of the script.
    /// Sign-in pages have none.
    pub script: Option<String>,
    /// Breadcrumbs, from the outermost group.
    pub crumbs: Vec<PageBreadcrumb>,
    /// Navigation beside the page, in a project or group.
    pub side: Option<Navigation>,
    /// Path of the project search.
    pub search: Option<&'static str>,
    /// Search text.
    pub search_text: String,
}

impl Shell {
    /// Creates the frame of a page for this visitor.
    pub fn new(
        request: &HttpRequest,
        state: &AppState,
        visitor: &Visitor,
        place: SiteArea,
        title: impl Into<String>,
    ) -> Self {
        let notice = cookies::notice_word(request, state);
        Self {
            title: title.into(),
            place,
            user: visitor.user().map(UserMenu::of),
            csrf: visitor.csrf_token(),
            csrf_field: csrf::FIELD,
            notice: notice.and_then(|word| Notice::parse(&word)),
            root: state.mount.prefix().to_owned(),
            stylesheet: STYLESHEET.path(),
            icon: ICON.path(),
            script: (place != SiteArea::Focused).then(|| SCRIPT.path()),
            crumbs: Vec::new(),
            side: None,
            search: (place != SiteArea::Focused).then(|| match visitor.signed_in() {
                Some(_) => "/dashboard/projects",
                None => "/explore/projects",
            }),
            search_text: String::new(),
        }
    }

    /// True if the page belongs to this area.
    pub fn is_in(&self, place: SiteArea) -> bool {
        self.place == place
    }
}

impl UserMenu {
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

    /// Otherwise a server below a path of its host would link outside of it.
    /// External links use the variable `outside`.
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
