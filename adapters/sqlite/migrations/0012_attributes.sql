-- What else is known of a contact, as a JSON object of texts.
ALTER TABLE contacts ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
