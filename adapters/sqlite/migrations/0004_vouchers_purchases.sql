-- Vouchers, the groups they were issued in, their redemptions, and purchases. Counts are kept by triggers, as in
-- 0002_outbox_automations.sql.

CREATE TABLE voucher_groups (
  organization_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  product_id TEXT,
  amount_off_cents INTEGER,
  percent_off REAL,
  currency TEXT,
  voucher_count INTEGER NOT NULL DEFAULT 0,
  redeemed_count INTEGER NOT NULL DEFAULT 0,
  starts_at TEXT,
  expires_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, group_id)
) STRICT;

CREATE INDEX voucher_groups_created_at ON voucher_groups (organization_id, created_at, group_id);
CREATE INDEX voucher_groups_updated_at ON voucher_groups (organization_id, updated_at, group_id);
CREATE INDEX voucher_groups_status_created_at ON voucher_groups (organization_id, status, created_at, group_id);
CREATE INDEX voucher_groups_status_updated_at ON voucher_groups (organization_id, status, updated_at, group_id);

CREATE TABLE vouchers (
  organization_id TEXT NOT NULL,
  voucher_id TEXT NOT NULL,
  group_id TEXT,
  status TEXT NOT NULL,
  code TEXT NOT NULL,
  contact_id TEXT,
  product_id TEXT,
  amount_off_cents INTEGER,
  percent_off REAL,
  currency TEXT,
  max_redemptions INTEGER,
  redemption_count INTEGER NOT NULL DEFAULT 0,
  expires_at TEXT,
  last_redeemed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, voucher_id)
) STRICT;

CREATE INDEX vouchers_created_at ON vouchers (organization_id, created_at, voucher_id);
CREATE INDEX vouchers_updated_at ON vouchers (organization_id, updated_at, voucher_id);
CREATE INDEX vouchers_status_created_at ON vouchers (organization_id, status, created_at, voucher_id);
CREATE INDEX vouchers_status_updated_at ON vouchers (organization_id, status, updated_at, voucher_id);
CREATE INDEX vouchers_contact_id_created_at ON vouchers (organization_id, contact_id, created_at, voucher_id);
CREATE INDEX vouchers_contact_id_updated_at ON vouchers (organization_id, contact_id, updated_at, voucher_id);
CREATE INDEX vouchers_group_id_created_at ON vouchers (organization_id, group_id, created_at, voucher_id);
CREATE INDEX vouchers_group_id_updated_at ON vouchers (organization_id, group_id, updated_at, voucher_id);
CREATE INDEX vouchers_group_id_status_created_at
  ON vouchers (organization_id, group_id, status, created_at, voucher_id);
CREATE INDEX vouchers_group_id_status_updated_at
  ON vouchers (organization_id, group_id, status, updated_at, voucher_id);
CREATE INDEX vouchers_group_id_contact_id_created_at
  ON vouchers (organization_id, group_id, contact_id, created_at, voucher_id);
CREATE INDEX vouchers_group_id_contact_id_updated_at
  ON vouchers (organization_id, group_id, contact_id, updated_at, voucher_id);

CREATE TABLE voucher_redemptions (
  organization_id TEXT NOT NULL,
  redemption_id TEXT NOT NULL,
  voucher_id TEXT NOT NULL,
  group_id TEXT,
  contact_id TEXT,
  site_id TEXT,
  amount_cents INTEGER,
  code TEXT NOT NULL,
  redeemed_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, redemption_id)
) STRICT;

CREATE INDEX voucher_redemptions_redeemed_at ON voucher_redemptions (organization_id, redeemed_at, redemption_id);
CREATE INDEX voucher_redemptions_voucher_id_redeemed_at
  ON voucher_redemptions (organization_id, voucher_id, redeemed_at, redemption_id);
CREATE INDEX voucher_redemptions_group_id_redeemed_at
  ON voucher_redemptions (organization_id, group_id, redeemed_at, redemption_id);
CREATE INDEX voucher_redemptions_site_id_redeemed_at
  ON voucher_redemptions (organization_id, site_id, redeemed_at, redemption_id);

CREATE TRIGGER voucher_redemptions_counted AFTER INSERT ON voucher_redemptions
BEGIN
  UPDATE vouchers SET redemption_count = redemption_count + 1,
    last_redeemed_at = max(coalesce(last_redeemed_at, ''), NEW.redeemed_at), updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND voucher_id = NEW.voucher_id;
END;

-- Moving a redemption to another voucher or time is rare, so both are counted afresh.
CREATE TRIGGER voucher_redemptions_recounted AFTER UPDATE OF voucher_id, redeemed_at ON voucher_redemptions
WHEN OLD.voucher_id <> NEW.voucher_id OR OLD.redeemed_at <> NEW.redeemed_at
BEGIN
  UPDATE vouchers SET
    redemption_count = (SELECT count(*) FROM voucher_redemptions AS r
      WHERE r.organization_id = vouchers.organization_id AND r.voucher_id = vouchers.voucher_id),
    last_redeemed_at = (SELECT max(r.redeemed_at) FROM voucher_redemptions AS r
      WHERE r.organization_id = vouchers.organization_id AND r.voucher_id = vouchers.voucher_id),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND voucher_id IN (OLD.voucher_id, NEW.voucher_id);
END;

-- Redemptions may be imported before their voucher, so a new voucher counts them. This is an update of the voucher,
-- which fires the trigger of its group.
CREATE TRIGGER vouchers_redeemed_before AFTER INSERT ON vouchers
WHEN EXISTS (SELECT 1 FROM voucher_redemptions AS r
  WHERE r.organization_id = NEW.organization_id AND r.voucher_id = NEW.voucher_id)
BEGIN
  UPDATE vouchers SET
    redemption_count = (SELECT count(*) FROM voucher_redemptions AS r
      WHERE r.organization_id = NEW.organization_id AND r.voucher_id = NEW.voucher_id),
    last_redeemed_at = (SELECT max(r.redeemed_at) FROM voucher_redemptions AS r
      WHERE r.organization_id = NEW.organization_id AND r.voucher_id = NEW.voucher_id)
  WHERE organization_id = NEW.organization_id AND voucher_id = NEW.voucher_id;
END;

-- A new voucher starts without redemptions, even when some were imported before it: those are counted by a later
-- update.
CREATE TRIGGER vouchers_counted AFTER INSERT ON vouchers WHEN NEW.group_id IS NOT NULL
BEGIN
  UPDATE voucher_groups SET voucher_count = voucher_count + 1, updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND group_id = NEW.group_id;
END;

-- The group's counts move by one, without reading its other vouchers: a group may have very many.
CREATE TRIGGER vouchers_recounted AFTER UPDATE OF group_id, redemption_count ON vouchers
WHEN OLD.group_id IS NOT NEW.group_id OR (OLD.redemption_count > 0) <> (NEW.redemption_count > 0)
BEGIN
  UPDATE voucher_groups SET
    voucher_count = voucher_count + (group_id IS NEW.group_id) - (group_id IS OLD.group_id),
    redeemed_count = redeemed_count + (group_id IS NEW.group_id AND NEW.redemption_count > 0)
      - (group_id IS OLD.group_id AND OLD.redemption_count > 0),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND group_id IN (OLD.group_id, NEW.group_id);
END;

-- Vouchers may be imported before their group.
CREATE TRIGGER voucher_groups_counted AFTER INSERT ON voucher_groups
WHEN EXISTS (SELECT 1 FROM vouchers AS v
  WHERE v.organization_id = NEW.organization_id AND v.group_id = NEW.group_id)
BEGIN
  UPDATE voucher_groups SET
    voucher_count = (SELECT count(*) FROM vouchers AS v
      WHERE v.organization_id = NEW.organization_id AND v.group_id = NEW.group_id),
    redeemed_count = (SELECT count(*) FROM vouchers AS v
      WHERE v.organization_id = NEW.organization_id AND v.group_id = NEW.group_id AND v.redemption_count > 0)
  WHERE organization_id = NEW.organization_id AND group_id = NEW.group_id;
END;

CREATE TABLE purchases (
  organization_id TEXT NOT NULL,
  purchase_id TEXT NOT NULL,
  status TEXT NOT NULL,
  contact_id TEXT,
  site_id TEXT,
  checkout_link_id TEXT,
  currency TEXT NOT NULL,
  subtotal_cents INTEGER NOT NULL,
  discount_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  total_cents INTEGER NOT NULL,
  refunded_cents INTEGER NOT NULL,
  purchased_at TEXT NOT NULL,
  refunded_at TEXT,
  updated_at TEXT NOT NULL,
  processor_id TEXT NOT NULL,
  items TEXT NOT NULL,
  fulfillment_codes TEXT NOT NULL,
  PRIMARY KEY (organization_id, purchase_id)
) STRICT;

-- How an import finds a purchase again, whatever secret its public id was made with.
CREATE UNIQUE INDEX purchases_processor_id ON purchases (organization_id, processor_id);
CREATE INDEX purchases_purchased_at ON purchases (organization_id, purchased_at, purchase_id);
CREATE INDEX purchases_updated_at ON purchases (organization_id, updated_at, purchase_id);
CREATE INDEX purchases_status_purchased_at ON purchases (organization_id, status, purchased_at, purchase_id);
CREATE INDEX purchases_status_updated_at ON purchases (organization_id, status, updated_at, purchase_id);
CREATE INDEX purchases_contact_id_purchased_at
  ON purchases (organization_id, contact_id, purchased_at, purchase_id);
CREATE INDEX purchases_contact_id_updated_at ON purchases (organization_id, contact_id, updated_at, purchase_id);
CREATE INDEX purchases_site_id_purchased_at ON purchases (organization_id, site_id, purchased_at, purchase_id);
CREATE INDEX purchases_site_id_updated_at ON purchases (organization_id, site_id, updated_at, purchase_id);
-- Finds the purchases of a checkout link that is imported after them.
CREATE INDEX purchases_checkout_link_id_status ON purchases (organization_id, checkout_link_id, status, purchase_id);

-- Purchases that were paid complete their checkout link, refunded later or not.
CREATE TRIGGER purchases_counted AFTER INSERT ON purchases
WHEN NEW.checkout_link_id IS NOT NULL AND NEW.status IN ('paid', 'partially_refunded', 'refunded')
BEGIN
  UPDATE checkout_links SET completed_count = completed_count + 1, updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND checkout_link_id = NEW.checkout_link_id;
END;

-- As with voucher groups, the counts move by one.
CREATE TRIGGER purchases_recounted AFTER UPDATE OF checkout_link_id, status ON purchases
WHEN iif(OLD.status IN ('paid', 'partially_refunded', 'refunded'), OLD.checkout_link_id, NULL)
  IS NOT iif(NEW.status IN ('paid', 'partially_refunded', 'refunded'), NEW.checkout_link_id, NULL)
BEGIN
  UPDATE checkout_links SET completed_count = completed_count
      + (checkout_link_id IS NEW.checkout_link_id AND NEW.status IN ('paid', 'partially_refunded', 'refunded'))
      - (checkout_link_id IS OLD.checkout_link_id AND OLD.status IN ('paid', 'partially_refunded', 'refunded')),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND checkout_link_id IN (
    iif(OLD.status IN ('paid', 'partially_refunded', 'refunded'), OLD.checkout_link_id, NULL),
    iif(NEW.status IN ('paid', 'partially_refunded', 'refunded'), NEW.checkout_link_id, NULL));
END;

-- Purchases may be imported before their checkout link.
CREATE TRIGGER checkout_links_counted AFTER INSERT ON checkout_links
WHEN EXISTS (SELECT 1 FROM purchases AS p
  WHERE p.organization_id = NEW.organization_id AND p.checkout_link_id = NEW.checkout_link_id)
BEGIN
  UPDATE checkout_links SET completed_count = (SELECT count(*) FROM purchases AS p
    WHERE p.organization_id = NEW.organization_id AND p.checkout_link_id = NEW.checkout_link_id
      AND p.status IN ('paid', 'partially_refunded', 'refunded'))
  WHERE organization_id = NEW.organization_id AND checkout_link_id = NEW.checkout_link_id;
END;
