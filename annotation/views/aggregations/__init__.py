"""Pages of aggregation projects for staff: extracting instances, and the backgrounds of entities."""
