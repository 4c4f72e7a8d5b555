-- The sweep takes turns among the organizations that have work to do. With the organization first in the index, it steps
-- from one organization to the next, and through the entries of each in the order in which they are due, so that an
-- organization with thousands of entries costs it no more than the entries that it takes.
DROP INDEX outbox_due;
CREATE INDEX outbox_turns ON outbox (organization_id, next_attempt_at, outbox_id) WHERE status = 'pending';
