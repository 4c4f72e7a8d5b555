-- What visitors typed where their answers do not say all of it, as JSON of field id to text: see domain/resources/form-submissions.ts.
ALTER TABLE form_submissions ADD COLUMN typed TEXT;
