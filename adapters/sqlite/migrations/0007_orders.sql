-- The tables of lists' values held nothing that the lists do not. A filter by a value of a list is tested while the order's
-- index is walked (0008, 0009).
DROP TRIGGER links_tags_listed;
DROP TRIGGER links_tags_listed_anew;
DROP TRIGGER links_tags_moved;
DROP TRIGGER links_tags_unlisted;
DROP TRIGGER products_site_ids_listed;
DROP TRIGGER products_site_ids_listed_anew;
DROP TRIGGER products_site_ids_moved;
DROP TRIGGER products_site_ids_unlisted;
DROP TABLE products_site_ids;
DROP TABLE links_tags;
