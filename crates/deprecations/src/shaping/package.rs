//! Lists of packages.

use serde_json::{Value, json};

use super::{Name, Shaper, answer_given_or, each, ids};

impl Shaper<'_> {
    /// The answer of `GET /projects/:id/packages`, as the edition gives it: every package has the array `pipelines` before 16.0,
    /// and lacks it after that (specification, Versioning 4). The single `pipeline` stays.
    ///
    /// Where the newest form has no array, it is the one pipeline, or empty where there is none.
    #[must_use]
    pub fn package_list(&self, newest: Value) -> Value {
        let pipelines = Name::new("pipelines", self.has(ids::PACKAGE_PIPELINES));
        each(newest, &|fields| {
            let only = fields.get("pipeline").filter(|found| found.is_object());
            let stand_in = only.map_or_else(|| json!([]), |only| json!([only]));
            answer_given_or(fields, pipelines, Some(stand_in));
        })
    }

    /// What a search for packages in one project finds: the packages of other projects too before 16.0, and only those of the
    /// project after that (specification, Versioning 4). `project_of` gives the project of a package.
    ///
    /// ```
    /// use api_conventions::release::Release;
    /// use deprecations::shaping::Shaper;
    /// use deprecations::{Edition, published};
    ///
    /// let found = vec![("hello", 1), ("hello", 2)];
    /// let at = |release| Shaper::new(published(), Edition::of(release));
    /// let before = at(Release(15, 11)).package_search(1, found.clone(), |package| package.1);
    /// assert_eq!(before, found);
    /// let after = at(Release(16, 0)).package_search(1, found, |package| package.1);
    /// assert_eq!(after, [("hello", 1)]);
    /// ```
    #[must_use]
    pub fn package_search<P>(
        &self,
        project: i64,
        mut found: Vec<P>,
        project_of: impl Fn(&P) -> i64,
    ) -> Vec<P> {
        if !self.has(ids::PACKAGES_OF_OTHER_PROJECTS) {
            found.retain(|package| project_of(package) == project);
        }
        found
    }
}
