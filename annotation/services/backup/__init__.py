"""Backup and restore of the site: one archive with every row and the files of the data folder."""
