-- Links, and their clicks, leads and sales. Triggers keep on each link what it shows of its events, as in
-- 0002_outbox_automations.sql. Every order that a caller may choose has an index, alone and after each filter.

CREATE TABLE links (
  organization_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  key TEXT NOT NULL,
  short_url TEXT NOT NULL,
  url TEXT NOT NULL,
  title TEXT,
  tags TEXT NOT NULL,
  archived INTEGER NOT NULL,
  clicks INTEGER NOT NULL DEFAULT 0,
  leads INTEGER NOT NULL DEFAULT 0,
  sales INTEGER NOT NULL DEFAULT 0,
  sale_amount_cents INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT,
  last_clicked_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, link_id)
) STRICT;

CREATE INDEX links_created_at ON links (organization_id, created_at, link_id);
CREATE INDEX links_updated_at ON links (organization_id, updated_at, link_id);
CREATE INDEX links_clicks ON links (organization_id, clicks, link_id);
CREATE INDEX links_last_clicked_at ON links (organization_id, last_clicked_at, link_id);
CREATE INDEX links_archived_created_at ON links (organization_id, archived, created_at, link_id);
CREATE INDEX links_archived_updated_at ON links (organization_id, archived, updated_at, link_id);
CREATE INDEX links_archived_clicks ON links (organization_id, archived, clicks, link_id);
CREATE INDEX links_archived_last_clicked_at ON links (organization_id, archived, last_clicked_at, link_id);
CREATE INDEX links_domain_created_at ON links (organization_id, domain, created_at, link_id);
CREATE INDEX links_domain_updated_at ON links (organization_id, domain, updated_at, link_id);
CREATE INDEX links_domain_clicks ON links (organization_id, domain, clicks, link_id);
CREATE INDEX links_domain_last_clicked_at ON links (organization_id, domain, last_clicked_at, link_id);

-- Which tags a link carries, a row each, with what orders the pages; see 0003_products_surveys_cases.sql.
CREATE TABLE links_tags (
  organization_id TEXT NOT NULL,
  value TEXT NOT NULL,
  link_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  clicks INTEGER NOT NULL,
  last_clicked_at TEXT,
  PRIMARY KEY (organization_id, link_id, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_tags_value_created_at ON links_tags (organization_id, value, created_at, link_id);
CREATE INDEX links_tags_value_updated_at ON links_tags (organization_id, value, updated_at, link_id);
CREATE INDEX links_tags_value_clicks ON links_tags (organization_id, value, clicks, link_id);
CREATE INDEX links_tags_value_last_clicked_at ON links_tags (organization_id, value, last_clicked_at, link_id);

-- A new link may have counts already, of events that came before it.
CREATE TRIGGER links_tags_listed AFTER INSERT ON links
BEGIN
  INSERT INTO links_tags (organization_id, value, link_id, created_at, updated_at, clicks, last_clicked_at)
  SELECT DISTINCT l.organization_id, listed.value, l.link_id, l.created_at, l.updated_at, l.clicks, l.last_clicked_at
  FROM links AS l, json_each(l.tags) AS listed
  WHERE l.organization_id = NEW.organization_id AND l.link_id = NEW.link_id;
END;

CREATE TRIGGER links_tags_listed_anew AFTER UPDATE ON links WHEN OLD.tags <> NEW.tags
BEGIN
  DELETE FROM links_tags WHERE organization_id = OLD.organization_id AND link_id = OLD.link_id;
  INSERT INTO links_tags (organization_id, value, link_id, created_at, updated_at, clicks, last_clicked_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.link_id, NEW.created_at, NEW.updated_at, NEW.clicks,
    NEW.last_clicked_at
  FROM json_each(NEW.tags) AS listed;
END;

-- Every event moves its link's counts, so what the tags say is changed in place.
CREATE TRIGGER links_tags_moved AFTER UPDATE ON links WHEN OLD.tags = NEW.tags
BEGIN
  UPDATE links_tags SET created_at = NEW.created_at, updated_at = NEW.updated_at, clicks = NEW.clicks,
    last_clicked_at = NEW.last_clicked_at
  WHERE organization_id = NEW.organization_id AND link_id = NEW.link_id;
END;

CREATE TRIGGER links_tags_unlisted AFTER DELETE ON links
BEGIN
  DELETE FROM links_tags WHERE organization_id = OLD.organization_id AND link_id = OLD.link_id;
END;

CREATE TABLE link_events (
  organization_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  link_id TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  event TEXT NOT NULL,
  amount_cents INTEGER,
  country TEXT,
  city TEXT,
  device TEXT,
  browser TEXT,
  os TEXT,
  referrer TEXT,
  updated_at TEXT NOT NULL,
  day TEXT NOT NULL,
  clicks INTEGER NOT NULL,
  leads INTEGER NOT NULL,
  sales INTEGER NOT NULL,
  sale_amount_cents INTEGER NOT NULL,
  PRIMARY KEY (organization_id, event_id)
) STRICT;

-- Analytics read every event of their window.
CREATE INDEX link_events_occurred_at ON link_events (organization_id, occurred_at, event_id);
CREATE INDEX link_events_link_id_occurred_at ON link_events (organization_id, link_id, occurred_at, event_id);
-- Finds a link's last click.
CREATE INDEX link_events_link_id_event_occurred_at
  ON link_events (organization_id, link_id, event, occurred_at, event_id);

-- A new event is added to its link without reading the others: a link may have very many.
CREATE TRIGGER link_events_counted AFTER INSERT ON link_events
BEGIN
  UPDATE links SET clicks = clicks + NEW.clicks, leads = leads + NEW.leads, sales = sales + NEW.sales,
    sale_amount_cents = sale_amount_cents + NEW.sale_amount_cents,
    last_clicked_at = iif(NEW.clicks = 1, max(coalesce(last_clicked_at, ''), NEW.occurred_at), last_clicked_at),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND link_id = NEW.link_id;
END;

-- When an event changes, its old values are subtracted and its new ones added; the last click is looked up again.
CREATE TRIGGER link_events_recounted AFTER UPDATE ON link_events
WHEN (OLD.link_id, OLD.event, OLD.occurred_at, OLD.sale_amount_cents)
  IS NOT (NEW.link_id, NEW.event, NEW.occurred_at, NEW.sale_amount_cents)
BEGIN
  UPDATE links SET
    clicks = clicks + (link_id = NEW.link_id) * NEW.clicks - (link_id = OLD.link_id) * OLD.clicks,
    leads = leads + (link_id = NEW.link_id) * NEW.leads - (link_id = OLD.link_id) * OLD.leads,
    sales = sales + (link_id = NEW.link_id) * NEW.sales - (link_id = OLD.link_id) * OLD.sales,
    sale_amount_cents = sale_amount_cents + (link_id = NEW.link_id) * NEW.sale_amount_cents
      - (link_id = OLD.link_id) * OLD.sale_amount_cents,
    last_clicked_at = (SELECT max(e.occurred_at) FROM link_events AS e
      WHERE e.organization_id = links.organization_id AND e.link_id = links.link_id AND e.event = 'click'),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND link_id IN (OLD.link_id, NEW.link_id)
    AND (OLD.link_id <> NEW.link_id OR OLD.clicks + NEW.clicks > 0 OR OLD.event <> NEW.event
      OR OLD.sale_amount_cents <> NEW.sale_amount_cents);
END;

-- Events may be imported before their link.
CREATE TRIGGER links_counted AFTER INSERT ON links
WHEN EXISTS (SELECT 1 FROM link_events AS e
  WHERE e.organization_id = NEW.organization_id AND e.link_id = NEW.link_id)
BEGIN
  UPDATE links SET (clicks, leads, sales, sale_amount_cents, last_clicked_at) = (
    SELECT sum(e.clicks), sum(e.leads), sum(e.sales), sum(e.sale_amount_cents),
      max(iif(e.clicks = 1, e.occurred_at, NULL))
    FROM link_events AS e WHERE e.organization_id = NEW.organization_id AND e.link_id = NEW.link_id)
  WHERE organization_id = NEW.organization_id AND link_id = NEW.link_id;
END;
