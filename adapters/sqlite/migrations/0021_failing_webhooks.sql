-- Webhooks that have failed for long are found without those that work. A webhook of which each call succeeds is never in here.
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE is_on = 1 AND failing_since IS NOT NULL;
