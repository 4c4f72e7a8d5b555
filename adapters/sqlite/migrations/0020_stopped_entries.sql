-- What is not tried by itself is found without what waits, of which there may be very much. An entry that is done was never
-- in here, so ordinary work writes no row more.
CREATE INDEX outbox_stopped ON outbox (organization_id, updated_at, outbox_id) WHERE status <> 'pending';
