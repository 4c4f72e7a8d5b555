-- What people said of submissions. One without a row here was not read. The marks are beside the submissions, whose
-- `updated_at` they leave alone: a tenant's sync shows none of them, so it need not read such a submission again; and a
-- submission writes no row more than before.
--   is_read     0: it was read, and then marked unread again
--   updated_at  by the organization's clock, because a move copies by it
CREATE TABLE submission_marks (
  organization_id TEXT NOT NULL,
  submission_id TEXT NOT NULL,
  is_read INTEGER NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, submission_id)
) STRICT, WITHOUT ROWID;

-- What came in before there were marks counts as read.
INSERT INTO submission_marks (organization_id, submission_id, is_read, updated_at)
SELECT organization_id, submission_id, 1, updated_at FROM form_submissions;

-- A mark goes with its submission.
CREATE TRIGGER form_submissions_unmarked AFTER DELETE ON form_submissions
BEGIN
  DELETE FROM submission_marks
  WHERE organization_id = OLD.organization_id AND submission_id = OLD.submission_id;
END;
