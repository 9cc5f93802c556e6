DROP TABLE store_probe;
