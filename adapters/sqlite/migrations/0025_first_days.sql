-- The first days of a membership that began near the end of the year 9999 last until that end, because SQLite knows no
-- later day. The triggers are those that the record requires; they replace the ones of 0006_memberships.sql, which were
-- written before triggers were generated.
DROP TRIGGER billing_events_counted;
DROP TRIGGER billing_events_recounted;
DROP TRIGGER memberships_billed_before;
DROP TRIGGER memberships_signed_up;
CREATE TRIGGER memberships_counts_billing_events AFTER INSERT ON billing_events
BEGIN
  UPDATE memberships SET event_count = event_count + 1,
    events_changed_at = iif(NEW.updated_at IS NOT NULL, max(coalesce(events_changed_at, ''), NEW.updated_at), events_changed_at),
    first_year_events = iif(NEW.type IN ('payment', 'failed', 'discount') AND NEW.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND NEW.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z', json_insert(first_year_events, '$[#]', json_object('eventId', NEW.event_id, 'occurredAt', NEW.occurred_at, 'type', NEW.type, 'amountCents', NEW.amount_cents, 'discountName', NEW.discount_name, 'discountCents', NEW.discount_cents)), first_year_events),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
CREATE TRIGGER memberships_recounts_billing_events AFTER UPDATE ON billing_events
WHEN (OLD.membership_id, OLD.updated_at, OLD.type, OLD.occurred_at, OLD.event_id, OLD.amount_cents, OLD.discount_name, OLD.discount_cents) IS NOT (NEW.membership_id, NEW.updated_at, NEW.type, NEW.occurred_at, NEW.event_id, NEW.amount_cents, NEW.discount_name, NEW.discount_cents)
BEGIN
  UPDATE memberships SET event_count = event_count + (membership_id IS NEW.membership_id) - (membership_id IS OLD.membership_id),
    events_changed_at = (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z'),
    updated_at = NEW.updated_at
  WHERE organization_id = NEW.organization_id AND membership_id IN (OLD.membership_id, NEW.membership_id);
END;
CREATE TRIGGER memberships_finds_billing_events AFTER INSERT ON memberships
WHEN EXISTS (SELECT 1 FROM billing_events AS c WHERE c.organization_id = NEW.organization_id AND c.membership_id = NEW.membership_id)
BEGIN
  UPDATE memberships SET event_count = (SELECT count(*) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    events_changed_at = (SELECT max(c.updated_at) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id),
    first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z')
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
CREATE TRIGGER memberships_dates_billing_events AFTER UPDATE OF signup_date ON memberships WHEN OLD.signup_date IS NOT NEW.signup_date
BEGIN
  UPDATE memberships SET first_year_events = (SELECT json_group_array(json_object('eventId', c.event_id, 'occurredAt', c.occurred_at, 'type', c.type, 'amountCents', c.amount_cents, 'discountName', c.discount_name, 'discountCents', c.discount_cents)) FROM billing_events AS c
      WHERE c.organization_id = memberships.organization_id AND c.membership_id = memberships.membership_id AND c.type IN ('payment', 'failed', 'discount') AND c.occurred_at >= memberships.signup_date || 'T00:00:00.000Z' AND c.occurred_at < coalesce(date(memberships.signup_date, '+365 days'), '9999-12-32') || 'T00:00:00.000Z')
  WHERE organization_id = NEW.organization_id AND membership_id = NEW.membership_id;
END;
