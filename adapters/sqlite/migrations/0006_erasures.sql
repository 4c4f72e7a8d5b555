-- Who was erased from which organization, so that an older archive brings nobody back. It stays when the organization is
-- deleted. It holds no address:
--   kind            `contact`, or how an address was written: `email`, `phone` (international digits), `national`
--   value           the id of the contact, or a keyed hash of the address
--   secret_version  the root secret under which the address was hashed; empty for a contact
--   erased_at       by the organization's clock: every archive of an earlier state may have the person
--   recorded_at     by the service's clock: it is forgotten some time after this
CREATE TABLE erasures (
  organization_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  secret_version TEXT NOT NULL,
  erased_at TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, kind, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX erasures_recorded_at ON erasures (recorded_at, organization_id, kind, value);
