"""Tools of the developers: what `make client` and `make catalogues` run."""
