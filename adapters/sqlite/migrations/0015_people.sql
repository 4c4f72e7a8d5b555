-- People who sign in, each with their roles. All of it is in the shared database, wherever an organization lives: who may
-- enter is asked before an organization's own database is. An organization that is empty stands for the whole service.
CREATE TABLE people (
  -- The address in lower case with an ASCII domain. It tells people apart.
  person TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  role TEXT NOT NULL,
  -- The address as it was given; sent to.
  email TEXT NOT NULL,
  -- What whoever gave the role calls the person. Each organization has its own name, and none learns another one's.
  name TEXT,
  added_at TEXT NOT NULL,
  -- The name of the operator, or the address of the person, who gave the role.
  added_by TEXT NOT NULL,
  PRIMARY KEY (person, organization_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX people_organization_id_person ON people (organization_id, person);

-- Links that were sent to sign in. Only the hash of what a link carries is stored.
CREATE TABLE sign_in_links (
  hash TEXT NOT NULL PRIMARY KEY,
  person TEXT NOT NULL,
  -- The hash of the cookie of the browser that asked.
  browser_hash TEXT NOT NULL,
  -- A keyed hash of the network that asked; null: not known.
  network TEXT,
  created_at TEXT NOT NULL,
  used_at TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_links_person_created_at ON sign_in_links (person, created_at);
CREATE INDEX sign_in_links_network_created_at ON sign_in_links (network, created_at);
CREATE INDEX sign_in_links_created_at ON sign_in_links (created_at);

-- Who is signed in. Only the hash of what the browser holds is stored.
CREATE TABLE sessions (
  hash TEXT NOT NULL PRIMARY KEY,
  -- Names the session in lists; it does not open it.
  session_id TEXT NOT NULL,
  -- Null: somebody signed in with a key.
  person TEXT,
  -- The claim of that key, as JSON: its id, its hashes and, of a tenant's key, the organization.
  claim TEXT,
  created_at TEXT NOT NULL,
  last_seen_at TEXT NOT NULL,
  -- The first instant at which it no longer works, however often it is used.
  expires_at TEXT NOT NULL,
  -- The browser's name, such as "Firefox on Windows".
  browser TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_person_created_at ON sessions (person, created_at);
CREATE INDEX sessions_expires_at ON sessions (expires_at);
