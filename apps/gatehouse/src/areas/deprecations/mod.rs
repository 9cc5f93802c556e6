//! Published deprecation schedule (`DEPR-01`, `DEPR-02`).
//! It lists the removals of each release as JSON, pages, an Atom feed and a calendar.

mod api;
mod feeds;
mod filter;
mod pages;
mod uses;

use web_conventions::operations::Operation;

/// The operations of the area.
pub fn operations() -> Vec<Operation> {
    [api::operations(), pages::operations(), feeds::operations()].concat()
}

#[cfg(test)]
mod tests {
    use deprecations::{Enforcement, Site, published};
    use web_conventions::operations::Operation;

    /// Operations in enforced records that this server does not have.
    const NOT_SERVED: [&str; 1] = ["POST /api/v4/users"];

    /// Parameters missing from declarations: old names of other parameters, and those of pagination.
    const UNDECLARED: [&str; 2] = ["operations_access_level", "pagination"];

    #[test]
    fn endpoints_and_parameters_of_enforced_records_exist() {
        let operations = crate::areas::operations();
        let records = published().records().iter();
        let enforced = records.filter(|record| record.enforcement == Enforcement::Enforced);
        for (record, touch) in enforced.flat_map(|one| one.touches.iter().map(move |it| (one, it)))
        {
            let Some(endpoint) = touch.site.endpoint() else {
                continue;
            };
            let mut declared = operations.iter().map(Operation::declaration);
            let found = declared.find(|it| endpoint.is(it.method.as_str(), it.path));
            let Some(found) = found else {
                assert!(
                    NOT_SERVED.contains(&endpoint.to_string().as_str()),
                    "{}: {endpoint}",
                    record.id
                );
                continue;
            };
            if let Site::Parameter { name, .. } = &touch.site {
                let is_declared = found.parameters.iter().any(|it| it.name == name);
                let is_known = UNDECLARED.contains(&name.as_str());
                assert!(
                    is_declared || is_known,
                    "{}: {endpoint} takes no {name}",
                    record.id
                );
            }
        }
    }

    /// Checks that every field of an enforced record is in the schemas of responses.
    /// The document marks it as deprecated, or omits it.
    #[test]
    fn fields_of_enforced_records_are_described_in_response_schemas() {
        use crate::areas::api_help::openapi_document;
        use deprecations::{Edition, Life, NEWEST, RecordStatus, calendar};

        let records = published().records().iter();
        let enforced = records.filter(|record| record.enforcement == Enforcement::Enforced);
        for record in enforced {
            let names_fields = |it: &deprecations::Touch| matches!(it.site, Site::Field { .. });
            if !record.touches.iter().any(names_fields) {
                continue;
            }
            let mut releases = calendar::between(deprecations::OLDEST, NEWEST);
            let document = match record.life {
                Life::Introduced(_) => openapi_document("", Edition::of(deprecations::OLDEST)),
                Life::Deprecated { .. } => {
                    let going = releases.find(|release| {
                        record.status(Edition::of(*release)) == RecordStatus::Deprecated
                    });
                    openapi_document("", Edition::of(going.unwrap()))
                }
            };
            for touch in record.touches.iter().filter(|it| names_fields(it)) {
                let Site::Field { path, .. } = &touch.site else {
                    continue;
                };
                let name = path.last().unwrap();
                let schemas = document["components"]["schemas"].as_object().unwrap();
                let marked = |schema: &serde_json::Value| {
                    schema["properties"][name]["x-deprecation"] == record.id
                };
                let is_marked = schemas.values().any(marked);
                let is_absent = schemas["SettingsJson"]["properties"].get(name).is_none();
                let is_described = if record.is_deprecation() {
                    is_marked
                } else {
                    is_absent
                };
                assert!(is_described, "{}: {name}", record.id);
            }
        }
    }
}
