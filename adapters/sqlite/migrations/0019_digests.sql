-- Of which submissions of a form people were told lately, beside what else is remembered of what came to it.
--   told       when one by one: a JSON array of milliseconds of the last ten minutes
--   digest_id  the outbox entry that gathers those which are over, as long as no worker has taken it
ALTER TABLE form_signs ADD COLUMN told TEXT NOT NULL DEFAULT '[]';
ALTER TABLE form_signs ADD COLUMN digest_id TEXT;
