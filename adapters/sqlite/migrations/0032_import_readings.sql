-- What an import keeps of an incomplete line is removed when the import no longer receives parts. The service used to
-- leave it, and kept the line in clear text even if it contained the password of a form. Imports of forms that still
-- receive parts are given up, so that nothing of them stays.
UPDATE import_sessions SET state = 'aborted' WHERE state = 'receiving' AND kind = 'forms';
UPDATE import_sessions SET reading = '' WHERE state <> 'receiving';
