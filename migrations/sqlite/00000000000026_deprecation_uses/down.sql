DROP TABLE deprecation_uses;
