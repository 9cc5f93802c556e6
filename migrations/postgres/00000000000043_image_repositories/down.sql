-- crate: projects
DROP TABLE image_repositories;
