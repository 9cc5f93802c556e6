//! Releases and the links to their assets.

use serde_json::{Map, Value};

use super::{Name, Shaper, answer_both, change_each, each, ids, take_either};

impl Shaper<'_> {
    /// A link to an asset or a list of links, as the Release Links API of the edition answers it (specification, Versioning 4):
    ///
    /// * `external` is there before 16.0, and always true.
    /// * `filepath` is there until 17.0, with the value of `direct_asset_path`.
    /// * `direct_asset_path` is there from 15.9 on.
    #[must_use]
    pub fn asset_link(&self, newest: Value) -> Value {
        each(newest, &|fields| self.shape_asset_link(fields))
    }

    /// A release or a list of them, as the edition answers it: its `assets.links` are shaped as [`Self::asset_link`] shapes them.
    #[must_use]
    pub fn release(&self, newest: Value) -> Value {
        each(newest, &|release| {
            if let Some(links) = links_of(release) {
                change_each(links, &|fields| self.shape_asset_link(fields));
            }
        })
    }

    /// What a client of the edition sends to create or change a link, with `direct_asset_path` as the only name of the path. The
    /// edition takes `filepath` until 17.0 and `direct_asset_path` from 15.9 on; what it does not take is ignored. Where both are
    /// sent, `direct_asset_path` wins. The specification does not say which one wins.
    #[must_use]
    pub fn asset_link_parameters(&self, mut sent: Map<String, Value>) -> Map<String, Value> {
        let [old, new] = self.path_names();
        take_either(&mut sent, old, new);
        sent
    }

    /// What a client of the edition sends to create or change a release: its `assets.links` are taken as
    /// [`Self::asset_link_parameters`] takes them.
    #[must_use]
    pub fn release_parameters(&self, mut sent: Map<String, Value>) -> Map<String, Value> {
        let [old, new] = self.path_names();
        if let Some(links) = links_of(&mut sent) {
            change_each(links, &|fields| take_either(fields, old, new));
        }
        sent
    }

    /// A link in the GraphQL API, where a client asks for each field by name: `external` is true before 16.0, and gone after that
    /// (specification, Versioning 4).
    #[must_use]
    pub fn graphql_asset_link(&self, newest: Value) -> Value {
        let external = Name::new("external", self.has(ids::EXTERNAL_OF_ASSET_LINKS));
        each(newest, &|fields| external.write(fields, true.into()))
    }

    fn shape_asset_link(&self, fields: &mut Map<String, Value>) {
        let external = Name::new("external", self.has(ids::EXTERNAL_OF_ASSET_LINKS));
        external.write(fields, true.into());
        let [old, new] = self.path_names();
        answer_both(fields, old, new);
    }

    /// The old and the new name of the path of a link.
    fn path_names(&self) -> [Name<'static>; 2] {
        [
            Name::new("filepath", self.has(ids::FILEPATH_OF_ASSET_LINKS)),
            Name::new("direct_asset_path", self.has(ids::DIRECT_ASSET_PATH)),
        ]
    }
}

fn links_of(release: &mut Map<String, Value>) -> Option<&mut Value> {
    release.get_mut("assets")?.get_mut("links")
}
