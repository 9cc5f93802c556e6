-- crate: projects
DROP TABLE image_cleanups;
