-- Memberships and their billing events. A cancellation record is a membership: what it shows of the events is kept with
-- it by triggers, as in 0002_outbox_automations.sql, so that a page of records reads memberships alone.

CREATE TABLE memberships (
  organization_id TEXT NOT NULL,
  membership_id TEXT NOT NULL,
  customer_id TEXT,
  signup_date TEXT,
  status TEXT NOT NULL,
  churn_type TEXT,
  cancel_date TEXT,
  cancel_reason TEXT,
  plan_name TEXT,
  billing_amount_cents INTEGER,
  billing_interval TEXT,
  billing_site_code TEXT,
  billing_site_name TEXT,
  creation_site_code TEXT,
  creation_site_name TEXT,
  is_on_trial INTEGER NOT NULL,
  trial_amount_cents INTEGER,
  tags TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  is_cancellation INTEGER NOT NULL,
  canceled_at TEXT,
  site_code TEXT,
  site_name TEXT,
  event_count INTEGER NOT NULL DEFAULT 0,
  events_changed_at TEXT,
  first_year_events TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY (organization_id, membership_id)
) STRICT;

CREATE INDEX memberships_is_cancellation_canceled_at
  ON memberships (organization_id, is_cancellation, canceled_at, membership_id);
CREATE INDEX memberships_is_cancellation_updated_at
  ON memberships (organization_id, is_cancellation, updated_at, membership_id);
CREATE INDEX memberships_is_cancellation_churn_type_canceled_at
  ON memberships (organization_id, is_cancellation, churn_type, canceled_at, membership_id);
CREATE INDEX memberships_is_cancellation_churn_type_updated_at
  ON memberships (organization_id, is_cancellation, churn_type, updated_at, membership_id);
CREATE INDEX memberships_is_cancellation_site_code_canceled_at
  ON memberships (organization_id, is_cancellation, site_code, canceled_at, membership_id);
CREATE INDEX memberships_is_cancellation_site_code_updated_at
  ON memberships (organization_id, is_cancellation, site_code, updated_at, membership_id);

CREATE TABLE billing_events (
  organization_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  membership_id TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  type TEXT NOT NULL,
  amount_cents INTEGER,
  discount_name TEXT,
  discount_cents INTEGER,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, event_id)
) STRICT;

-- Finds the events of a membership, those of its first year among them.
CREATE INDEX billing_events_membership_id_occurred_at
  ON billing_events (organization_id, membership_id, occurred_at, event_id);

-- A new event is added to its membership without reading the others: a membership may have very many.
CREATE TRIGGER billing_events_counted AFTER INSERT ON billing_events
BEGIN
  UPDATE memberships SET
    event_count = event_count + 1,
    events_changed_at = max(coalesce(events_changed_at, ''), NEW.updated_at),
    first_year_events = iif(
      NEW.type <> 'refund' AND NEW.occurred_at >= signup_date || 'T00:00:00.000Z'
        AND NEW.occurred_at < date(signup_date, '+365 days') || 'T00:00:00.000Z',
      json_insert(first_year_events, '$[#]', json_object(
        'eventId', NEW.event_id, 'occurredAt', NEW.occurred_at, 'type', NEW.type,
        'amountCents', NEW.amount_cents, 'discountName', NEW.discount_name, 'discountCents', NEW.discount_cents)),
      first_year_events),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;

-- An event that changes is rare, so what its membership, or both of them, keep is made afresh.
CREATE TRIGGER billing_events_recounted AFTER UPDATE ON billing_events
BEGIN
  UPDATE memberships SET
    event_count = (SELECT count(*) FROM billing_events AS e
      WHERE e.organization_id = memberships.organization_id AND e.membership_id = memberships.membership_id),
    events_changed_at = (SELECT max(e.updated_at) FROM billing_events AS e
      WHERE e.organization_id = memberships.organization_id AND e.membership_id = memberships.membership_id),
    first_year_events = (SELECT json_group_array(json_object(
        'eventId', e.event_id, 'occurredAt', e.occurred_at, 'type', e.type,
        'amountCents', e.amount_cents, 'discountName', e.discount_name, 'discountCents', e.discount_cents))
      FROM billing_events AS e
      WHERE e.organization_id = memberships.organization_id AND e.membership_id = memberships.membership_id
        AND e.type <> 'refund' AND e.occurred_at >= memberships.signup_date || 'T00:00:00.000Z'
        AND e.occurred_at < date(memberships.signup_date, '+365 days') || 'T00:00:00.000Z'),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND membership_id IN (OLD.membership_id, NEW.membership_id);
END;

-- Events may be imported before their membership.
CREATE TRIGGER memberships_billed_before AFTER INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM billing_events AS e
  WHERE e.organization_id = NEW.organization_id AND e.membership_id = NEW.membership_id)
BEGIN
  UPDATE memberships SET
    event_count = (SELECT count(*) FROM billing_events AS e
      WHERE e.organization_id = NEW.organization_id AND e.membership_id = NEW.membership_id),
    events_changed_at = (SELECT max(e.updated_at) FROM billing_events AS e
      WHERE e.organization_id = NEW.organization_id AND e.membership_id = NEW.membership_id),
    first_year_events = (SELECT json_group_array(json_object(
        'eventId', e.event_id, 'occurredAt', e.occurred_at, 'type', e.type,
        'amountCents', e.amount_cents, 'discountName', e.discount_name, 'discountCents', e.discount_cents))
      FROM billing_events AS e
      WHERE e.organization_id = NEW.organization_id AND e.membership_id = NEW.membership_id
        AND e.type <> 'refund' AND e.occurred_at >= NEW.signup_date || 'T00:00:00.000Z'
        AND e.occurred_at < date(NEW.signup_date, '+365 days') || 'T00:00:00.000Z')
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;

-- When the signup changes, the first year begins on another day, so what it contains is computed again.
CREATE TRIGGER memberships_signed_up AFTER UPDATE OF signup_date ON memberships
WHEN OLD.signup_date IS NOT NEW.signup_date
BEGIN
  UPDATE memberships SET
    first_year_events = (SELECT json_group_array(json_object(
        'eventId', e.event_id, 'occurredAt', e.occurred_at, 'type', e.type,
        'amountCents', e.amount_cents, 'discountName', e.discount_name, 'discountCents', e.discount_cents))
      FROM billing_events AS e
      WHERE e.organization_id = NEW.organization_id AND e.membership_id = NEW.membership_id
        AND e.type <> 'refund' AND e.occurred_at >= NEW.signup_date || 'T00:00:00.000Z'
        AND e.occurred_at < date(NEW.signup_date, '+365 days') || 'T00:00:00.000Z')
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
