"""The finished example project: made through the services of the product, three weeks of work in the past."""
