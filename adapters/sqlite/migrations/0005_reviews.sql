-- Reviews as they were imported, and as they are read.

-- What an organization imported, deleted reviews and preview placeholders included. Nothing is read from here: it only
-- feeds the table below.
CREATE TABLE reviews (
  organization_id TEXT NOT NULL,
  review_id TEXT NOT NULL,
  google_review_id TEXT NOT NULL,
  site_id TEXT,
  rating INTEGER NOT NULL,
  comment TEXT,
  reviewer_name TEXT,
  reviewer_photo_url TEXT,
  replied INTEGER NOT NULL,
  reply TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  is_deleted INTEGER NOT NULL,
  is_preview INTEGER NOT NULL,
  PRIMARY KEY (organization_id, review_id)
) STRICT;

-- Finds the reviews of a site that is imported after them or renamed.
CREATE INDEX reviews_site_id ON reviews (organization_id, site_id, review_id);

-- What each organization may read: its own reviews and those of its child organizations, which carry their owner. A
-- page of them is then a range of one index like any other; asking for several organizations at once would read and sort
-- all of their reviews. The site's name is copied too, for joining it would join the rows of two tenants. row_id is the
-- review's id and its owner's, since two children may use one id.
CREATE TABLE visible_reviews (
  organization_id TEXT NOT NULL,
  row_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  review_id TEXT NOT NULL,
  google_review_id TEXT NOT NULL,
  site_id TEXT,
  site_name TEXT,
  rating INTEGER NOT NULL,
  comment TEXT,
  reviewer_name TEXT,
  reviewer_photo_url TEXT,
  replied INTEGER NOT NULL,
  reply TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, row_id)
) STRICT;

CREATE INDEX visible_reviews_created_at ON visible_reviews (organization_id, created_at, row_id);
CREATE INDEX visible_reviews_updated_at ON visible_reviews (organization_id, updated_at, row_id);
CREATE INDEX visible_reviews_site_id_created_at ON visible_reviews (organization_id, site_id, created_at, row_id);
CREATE INDEX visible_reviews_site_id_updated_at ON visible_reviews (organization_id, site_id, updated_at, row_id);
CREATE INDEX visible_reviews_rating_created_at ON visible_reviews (organization_id, rating, created_at, row_id);
CREATE INDEX visible_reviews_rating_updated_at ON visible_reviews (organization_id, rating, updated_at, row_id);
CREATE INDEX visible_reviews_replied_created_at ON visible_reviews (organization_id, replied, created_at, row_id);
CREATE INDEX visible_reviews_replied_updated_at ON visible_reviews (organization_id, replied, updated_at, row_id);
-- Finds the reviews to remove when a child organization leaves its parent.
CREATE INDEX visible_reviews_owner_id ON visible_reviews (organization_id, owner_id, row_id);

-- Each reader's row changes at that reader's clock. The batch that fires these triggers has moved both clocks before.
CREATE TRIGGER reviews_shown AFTER INSERT ON reviews WHEN NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  INSERT INTO visible_reviews
  SELECT o.organization_id, NEW.review_id || ' ' || NEW.organization_id, NEW.organization_id, NEW.review_id,
    NEW.google_review_id, NEW.site_id,
    (SELECT s.name FROM sites AS s WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    NEW.rating, NEW.comment, NEW.reviewer_name, NEW.reviewer_photo_url, NEW.replied, NEW.reply, NEW.created_at,
    o.clock_at
  FROM organizations AS o WHERE o.organization_id IN (NEW.organization_id,
    (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id));
END;

CREATE TRIGGER reviews_shown_again AFTER UPDATE ON reviews
WHEN (OLD.is_deleted OR OLD.is_preview) AND NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  INSERT INTO visible_reviews
  SELECT o.organization_id, NEW.review_id || ' ' || NEW.organization_id, NEW.organization_id, NEW.review_id,
    NEW.google_review_id, NEW.site_id,
    (SELECT s.name FROM sites AS s WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    NEW.rating, NEW.comment, NEW.reviewer_name, NEW.reviewer_photo_url, NEW.replied, NEW.reply, NEW.created_at,
    o.clock_at
  FROM organizations AS o WHERE o.organization_id IN (NEW.organization_id,
    (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id));
END;

CREATE TRIGGER reviews_changed AFTER UPDATE ON reviews
WHEN NOT OLD.is_deleted AND NOT OLD.is_preview AND NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  UPDATE visible_reviews SET google_review_id = NEW.google_review_id, site_id = NEW.site_id,
    site_name = (SELECT s.name FROM sites AS s
      WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    rating = NEW.rating, comment = NEW.comment, reviewer_name = NEW.reviewer_name,
    reviewer_photo_url = NEW.reviewer_photo_url, replied = NEW.replied, reply = NEW.reply,
    created_at = NEW.created_at,
    updated_at = (SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id = NEW.review_id || ' ' || NEW.organization_id;
END;

CREATE TRIGGER reviews_hidden AFTER UPDATE ON reviews WHEN NEW.is_deleted OR NEW.is_preview
BEGIN
  DELETE FROM visible_reviews
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id = NEW.review_id || ' ' || NEW.organization_id;
END;

-- Reviews may be imported before their site. The reviews of the site name the rows, so that neither a parent's other
-- reviews nor those of its other children are looked at.
CREATE TRIGGER sites_named_in_reviews AFTER INSERT ON sites
BEGIN
  UPDATE visible_reviews SET site_name = NEW.name,
    updated_at = (SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = NEW.organization_id AND r.site_id = NEW.site_id);
END;

CREATE TRIGGER sites_renamed_in_reviews AFTER UPDATE OF name ON sites WHEN OLD.name <> NEW.name
BEGIN
  UPDATE visible_reviews SET site_name = NEW.name,
    updated_at = (SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = NEW.organization_id AND r.site_id = NEW.site_id);
END;

-- A child organization takes its reviews from one parent to the other.
CREATE TRIGGER organizations_moved AFTER UPDATE OF parent_id ON organizations
WHEN OLD.parent_id IS NOT NEW.parent_id
BEGIN
  DELETE FROM visible_reviews WHERE organization_id = OLD.parent_id AND owner_id = NEW.organization_id;
  INSERT INTO visible_reviews
  SELECT p.organization_id, v.row_id, v.owner_id, v.review_id, v.google_review_id, v.site_id, v.site_name, v.rating,
    v.comment, v.reviewer_name, v.reviewer_photo_url, v.replied, v.reply, v.created_at, p.clock_at
  FROM organizations AS p CROSS JOIN visible_reviews AS v
  WHERE p.organization_id = NEW.parent_id
    AND v.organization_id = NEW.organization_id AND v.owner_id = NEW.organization_id;
END;
