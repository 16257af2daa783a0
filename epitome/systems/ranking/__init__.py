"""Systems that rank candidate aggregations: by chance, by counts, by features, by models with weights."""
