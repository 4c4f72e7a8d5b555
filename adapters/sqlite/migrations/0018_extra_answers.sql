-- What was sent with submissions besides their answers, as JSON of name to text: see domain/resources/form-submissions.ts.
ALTER TABLE form_submissions ADD COLUMN extra TEXT;
