-- Products, checkout links, marketing signups, surveys with their responses, and cases. Every filter has an index for the
-- natural order and one for the order of a sync.

CREATE TABLE products (
  organization_id TEXT NOT NULL,
  product_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  billing_interval TEXT,
  image_url TEXT,
  site_ids TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, product_id)
) STRICT;

CREATE INDEX products_created_at ON products (organization_id, created_at, product_id);
CREATE INDEX products_updated_at ON products (organization_id, updated_at, product_id);
CREATE INDEX products_status_created_at ON products (organization_id, status, created_at, product_id);
CREATE INDEX products_status_updated_at ON products (organization_id, status, updated_at, product_id);
CREATE INDEX products_type_created_at ON products (organization_id, type, created_at, product_id);
CREATE INDEX products_type_updated_at ON products (organization_id, type, updated_at, product_id);

-- Which sites a product lists, a row each: a filter on one of them finds its rows in order and reads no others. A copy
-- of the product's list, so triggers write these rows again whenever the product changes.
CREATE TABLE products_site_ids (
  organization_id TEXT NOT NULL,
  value TEXT NOT NULL,
  product_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, product_id, value)
) STRICT, WITHOUT ROWID;

CREATE INDEX products_site_ids_value_created_at
  ON products_site_ids (organization_id, value, created_at, product_id);
CREATE INDEX products_site_ids_value_updated_at
  ON products_site_ids (organization_id, value, updated_at, product_id);

CREATE TRIGGER products_site_ids_listed AFTER INSERT ON products
BEGIN
  INSERT INTO products_site_ids (organization_id, value, product_id, created_at, updated_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.product_id, NEW.created_at, NEW.updated_at
  FROM json_each(NEW.site_ids) AS listed;
END;

CREATE TRIGGER products_site_ids_listed_anew AFTER UPDATE ON products
BEGIN
  DELETE FROM products_site_ids WHERE organization_id = OLD.organization_id AND product_id = OLD.product_id;
  INSERT INTO products_site_ids (organization_id, value, product_id, created_at, updated_at)
  SELECT DISTINCT NEW.organization_id, listed.value, NEW.product_id, NEW.created_at, NEW.updated_at
  FROM json_each(NEW.site_ids) AS listed;
END;

CREATE TRIGGER products_site_ids_unlisted AFTER DELETE ON products
BEGIN
  DELETE FROM products_site_ids WHERE organization_id = OLD.organization_id AND product_id = OLD.product_id;
END;

CREATE TABLE checkout_links (
  organization_id TEXT NOT NULL,
  checkout_link_id TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  items TEXT NOT NULL,
  site_id TEXT,
  success_url TEXT,
  expires_at TEXT,
  completed_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, checkout_link_id)
) STRICT;

CREATE INDEX checkout_links_created_at ON checkout_links (organization_id, created_at, checkout_link_id);
CREATE INDEX checkout_links_updated_at ON checkout_links (organization_id, updated_at, checkout_link_id);
CREATE INDEX checkout_links_status_created_at
  ON checkout_links (organization_id, status, created_at, checkout_link_id);
CREATE INDEX checkout_links_status_updated_at
  ON checkout_links (organization_id, status, updated_at, checkout_link_id);
CREATE INDEX checkout_links_site_id_created_at
  ON checkout_links (organization_id, site_id, created_at, checkout_link_id);
CREATE INDEX checkout_links_site_id_updated_at
  ON checkout_links (organization_id, site_id, updated_at, checkout_link_id);

CREATE TABLE marketing_signups (
  organization_id TEXT NOT NULL,
  signup_id TEXT NOT NULL,
  contact_id TEXT,
  email TEXT,
  phone TEXT,
  site_id TEXT,
  source TEXT,
  email_consent INTEGER NOT NULL,
  sms_consent INTEGER NOT NULL,
  answers TEXT NOT NULL,
  attribution TEXT NOT NULL,
  signed_up_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, signup_id)
) STRICT;

CREATE INDEX marketing_signups_signed_up_at ON marketing_signups (organization_id, signed_up_at, signup_id);
CREATE INDEX marketing_signups_updated_at ON marketing_signups (organization_id, updated_at, signup_id);
CREATE INDEX marketing_signups_site_id_signed_up_at
  ON marketing_signups (organization_id, site_id, signed_up_at, signup_id);
CREATE INDEX marketing_signups_site_id_updated_at
  ON marketing_signups (organization_id, site_id, updated_at, signup_id);
CREATE INDEX marketing_signups_source_signed_up_at
  ON marketing_signups (organization_id, source, signed_up_at, signup_id);
CREATE INDEX marketing_signups_source_updated_at
  ON marketing_signups (organization_id, source, updated_at, signup_id);

CREATE TABLE surveys (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  survey_type TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  is_published INTEGER NOT NULL,
  config TEXT NOT NULL,
  public_url TEXT,
  parent_survey_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, id)
) STRICT;

CREATE INDEX surveys_created_at ON surveys (organization_id, created_at, id);
CREATE INDEX surveys_updated_at ON surveys (organization_id, updated_at, id);
CREATE INDEX surveys_is_published_created_at ON surveys (organization_id, is_published, created_at, id);
CREATE INDEX surveys_is_published_updated_at ON surveys (organization_id, is_published, updated_at, id);
CREATE INDEX surveys_survey_type_created_at ON surveys (organization_id, survey_type, created_at, id);
CREATE INDEX surveys_survey_type_updated_at ON surveys (organization_id, survey_type, updated_at, id);

CREATE TABLE survey_responses (
  organization_id TEXT NOT NULL,
  response_id TEXT NOT NULL,
  survey_id TEXT NOT NULL,
  contact_id TEXT,
  site_id TEXT,
  score INTEGER,
  category TEXT,
  satisfaction INTEGER,
  freetext TEXT,
  notes TEXT,
  answers TEXT NOT NULL,
  submitted_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, response_id)
) STRICT;

CREATE INDEX survey_responses_submitted_at ON survey_responses (organization_id, submitted_at, response_id);
CREATE INDEX survey_responses_updated_at ON survey_responses (organization_id, updated_at, response_id);
CREATE INDEX survey_responses_survey_id_submitted_at
  ON survey_responses (organization_id, survey_id, submitted_at, response_id);
CREATE INDEX survey_responses_survey_id_updated_at
  ON survey_responses (organization_id, survey_id, updated_at, response_id);
CREATE INDEX survey_responses_site_id_submitted_at
  ON survey_responses (organization_id, site_id, submitted_at, response_id);
CREATE INDEX survey_responses_site_id_updated_at
  ON survey_responses (organization_id, site_id, updated_at, response_id);
CREATE INDEX survey_responses_category_submitted_at
  ON survey_responses (organization_id, category, submitted_at, response_id);
CREATE INDEX survey_responses_category_updated_at
  ON survey_responses (organization_id, category, updated_at, response_id);
CREATE INDEX survey_responses_survey_id_site_id_submitted_at
  ON survey_responses (organization_id, survey_id, site_id, submitted_at, response_id);
CREATE INDEX survey_responses_survey_id_site_id_updated_at
  ON survey_responses (organization_id, survey_id, site_id, updated_at, response_id);
CREATE INDEX survey_responses_survey_id_category_submitted_at
  ON survey_responses (organization_id, survey_id, category, submitted_at, response_id);
CREATE INDEX survey_responses_survey_id_category_updated_at
  ON survey_responses (organization_id, survey_id, category, updated_at, response_id);

CREATE TABLE cases (
  organization_id TEXT NOT NULL,
  case_id TEXT NOT NULL,
  ticket_number INTEGER NOT NULL,
  status TEXT NOT NULL,
  action TEXT,
  request_type TEXT,
  source TEXT,
  customer TEXT NOT NULL,
  site TEXT NOT NULL,
  assigned_to TEXT,
  resolution TEXT,
  category TEXT,
  history TEXT NOT NULL,
  notes TEXT NOT NULL,
  site_id TEXT,
  submitted_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (organization_id, case_id)
) STRICT;

CREATE INDEX cases_submitted_at ON cases (organization_id, submitted_at, case_id);
CREATE INDEX cases_updated_at ON cases (organization_id, updated_at, case_id);
CREATE INDEX cases_status_submitted_at ON cases (organization_id, status, submitted_at, case_id);
CREATE INDEX cases_status_updated_at ON cases (organization_id, status, updated_at, case_id);
CREATE INDEX cases_site_id_submitted_at ON cases (organization_id, site_id, submitted_at, case_id);
CREATE INDEX cases_site_id_updated_at ON cases (organization_id, site_id, updated_at, case_id);
CREATE INDEX cases_request_type_submitted_at ON cases (organization_id, request_type, submitted_at, case_id);
CREATE INDEX cases_request_type_updated_at ON cases (organization_id, request_type, updated_at, case_id);
CREATE INDEX cases_category_submitted_at ON cases (organization_id, category, submitted_at, case_id);
CREATE INDEX cases_category_updated_at ON cases (organization_id, category, updated_at, case_id);
CREATE INDEX cases_assigned_to_submitted_at ON cases (organization_id, assigned_to, submitted_at, case_id);
CREATE INDEX cases_assigned_to_updated_at ON cases (organization_id, assigned_to, updated_at, case_id);
