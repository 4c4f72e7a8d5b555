-- What was made of submissions.
--   spam          1: nothing follows from it. What came in before there were verdicts was taken for none
--   spam_reasons  why, as a JSON array of the words of domain/spam/reasons.ts; null: it never was spam
--   held          the contact that it named, as JSON, until a person says that it is no spam: then the contact and all
--                 else follows; null: nothing waits, because it has followed or because nothing would
ALTER TABLE form_submissions ADD COLUMN spam INTEGER NOT NULL DEFAULT 0;
ALTER TABLE form_submissions ADD COLUMN spam_reasons TEXT;
ALTER TABLE form_submissions ADD COLUMN held TEXT;

-- What a person said of it, which no verdict changes: 1 spam, 0 none, null nothing.
ALTER TABLE submission_marks ADD COLUMN is_spam INTEGER;

-- What came to a form lately, so that a flood is noticed. It is one row for each form, so that a submission writes one more
-- row and none has to be removed for each.
--   signs       a JSON array of [sign, last millisecond]: keyed hashes of long texts for an hour, and of networks for a minute
--   expires_at  when all of it is thrown away
--   updated_at  by the organization's clock, because a move copies by it
CREATE TABLE form_signs (
  organization_id TEXT NOT NULL,
  form_id TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  signs TEXT NOT NULL,
  PRIMARY KEY (organization_id, form_id)
) STRICT, WITHOUT ROWID;
-- What the marks of an organization's people taught: see domain/spam/content.ts. Words are numbers there, so it never grows.
--   spam_count, clean_count  how many submissions were marked as each
--   weights                  how much each word speaks for spam, as a JSON array; empty until enough were marked
--   in_spam, in_clean        in how many of them each word was, as JSON arrays
CREATE TABLE spam_models (
  organization_id TEXT NOT NULL,
  spam_count INTEGER NOT NULL,
  clean_count INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  weights TEXT NOT NULL,
  in_spam TEXT NOT NULL,
  in_clean TEXT NOT NULL,
  PRIMARY KEY (organization_id)
) STRICT, WITHOUT ROWID;

-- So that lists without spam, and with nothing else, read no row.
DROP INDEX form_submissions_submitted_at;
CREATE INDEX form_submissions_submitted_at ON form_submissions (organization_id, submitted_at, submission_id, spam);
DROP INDEX form_submissions_form_id_submitted_at;
CREATE INDEX form_submissions_form_id_submitted_at ON form_submissions (organization_id, form_id, submitted_at, submission_id, spam);
DROP INDEX form_submissions_updated_at;
CREATE INDEX form_submissions_updated_at ON form_submissions (organization_id, updated_at, submission_id, form_id, spam, submitted_at);
