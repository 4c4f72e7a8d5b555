-- A move copies rows as they are written since an instant of their organization's clock. What a table lacks for that:

-- How far a move is, as JSON of domain/placement/move. The columns `journal_id` and `tables` are those of earlier versions.
ALTER TABLE moves ADD COLUMN progress TEXT;
-- Moves that an earlier version began are given up, or have ended where the family lives in its new place already.
UPDATE moves SET abort_asked = 1 WHERE phase IN ('starting', 'copying', 'switching');
UPDATE moves SET phase = 'copying' WHERE phase = 'starting';
UPDATE moves SET phase = 'done', ended_at = started_at, not_before = started_at WHERE phase = 'emptying';

-- The log of sends tells when a record was written: by the organization's clock, as other rows do. Most records are found
-- by `sends_at`, because they are written once more within seconds; those that were written later have an entry here.
ALTER TABLE sends ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
CREATE INDEX sends_written_later ON sends (organization_id, updated_at, send_id) WHERE updated_at > at;

CREATE INDEX billing_events_updated_at ON billing_events (organization_id, updated_at, event_id);
CREATE INDEX link_events_updated_at ON link_events (organization_id, updated_at, event_id);
CREATE INDEX list_members_updated_at_list_id ON list_members (organization_id, updated_at, list_id, contact_id);

-- An organization's row comes last when rows are copied. Until then these copies of reviews keep the instant they have.
DROP TRIGGER reviews_changed;
DROP TRIGGER sites_named_in_reviews;
DROP TRIGGER sites_renamed_in_reviews;

CREATE TRIGGER reviews_changed AFTER UPDATE ON reviews
WHEN NOT OLD.is_deleted AND NOT OLD.is_preview AND NOT NEW.is_deleted AND NOT NEW.is_preview
BEGIN
  UPDATE visible_reviews SET google_review_id = NEW.google_review_id, site_id = NEW.site_id,
    site_name = (SELECT s.name FROM sites AS s
      WHERE s.organization_id = NEW.organization_id AND s.site_id = NEW.site_id),
    rating = NEW.rating, comment = NEW.comment, reviewer_name = NEW.reviewer_name,
    reviewer_photo_url = NEW.reviewer_photo_url, replied = NEW.replied, reply = NEW.reply,
    created_at = NEW.created_at,
    updated_at = coalesce((SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id), updated_at)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id = NEW.review_id || ' ' || NEW.organization_id;
END;

CREATE TRIGGER sites_named_in_reviews AFTER INSERT ON sites
BEGIN
  UPDATE visible_reviews SET site_name = NEW.name,
    updated_at = coalesce((SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id), updated_at)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = NEW.organization_id AND r.site_id = NEW.site_id);
END;

CREATE TRIGGER sites_renamed_in_reviews AFTER UPDATE OF name ON sites WHEN OLD.name <> NEW.name
BEGIN
  UPDATE visible_reviews SET site_name = NEW.name,
    updated_at = coalesce((SELECT o.clock_at FROM organizations AS o
      WHERE o.organization_id = visible_reviews.organization_id), updated_at)
  WHERE organization_id IN (NEW.organization_id,
      (SELECT parent_id FROM organizations WHERE organization_id = NEW.organization_id))
    AND row_id IN (SELECT r.review_id || ' ' || r.organization_id FROM reviews AS r
      WHERE r.organization_id = NEW.organization_id AND r.site_id = NEW.site_id);
END;

-- While a family moves, no organization joins or leaves it: the instant `moving` says so of an organization.
DROP TRIGGER refused_writes_raised;
CREATE TRIGGER refused_writes_raised INSTEAD OF INSERT ON refused_writes
BEGIN
  SELECT RAISE(ABORT, 'placement: moving') WHERE NEW.now = 'moving';

  SELECT RAISE(ABORT, 'placement: elsewhere')
  WHERE EXISTS (SELECT 1 FROM placed_organizations AS p WHERE p.organization_id = NEW.organization_id);

  DELETE FROM write_pauses WHERE organization_id = NEW.organization_id AND until <= NEW.now;

  SELECT RAISE(ABORT, 'placement: paused')
  WHERE EXISTS (SELECT 1 FROM write_pauses AS w WHERE w.organization_id = NEW.organization_id);
END;
