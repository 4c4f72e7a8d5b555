-- The tables of an odbc_second source on SQLite, one database for each organization. Instants named Utc are UTC text with
-- milliseconds, which sorts as time does. Those named Local are `YYYY-MM-DD HH:MM:SS` in the zone of the source's
-- configuration, and count only where the UTC one is missing. Amounts are decimal text.

create table Ticket (
  TicketId text not null primary key,
  GuestId text,
  StoreCode text,
  ClosedUtc text not null check (ClosedUtc glob '????-??-??T??:??:??.???Z'),
  -- Sale, Return, Voided.
  TicketType text not null,
  CurrencyCode text,
  SubtotalAmount text,
  DiscountAmount text,
  TaxAmount text,
  GratuityAmount text,
  TotalAmount text,
  Tender text
);
create index Ticket_Closed on Ticket (ClosedUtc, TicketId);
create index Ticket_Guest on Ticket (GuestId, ClosedUtc, TicketId);
create index Ticket_Store on Ticket (StoreCode, ClosedUtc, TicketId);

create table TicketItem (
  TicketId text not null,
  LineId text not null,
  ItemPosition integer not null,
  Sku text,
  Description text,
  Quantity text,
  GrossAmount text,
  NetAmount text,
  DiscountAmount text,
  primary key (TicketId, LineId)
);

create table Guest (
  GuestId text not null primary key,
  FirstName text,
  LastName text,
  Email text,
  PhoneE164 text,
  -- Active, Inactive, or nothing when the POS does not know.
  ActiveFlag text,
  HomeStoreCode text,
  LastVisitLocal text,
  LastVisitUtc text check (LastVisitUtc glob '????-??-??T??:??:??.???Z'),
  CreatedUtc text check (CreatedUtc glob '????-??-??T??:??:??.???Z')
);
create index Guest_Created on Guest (CreatedUtc, GuestId);
create index Guest_Email on Guest (lower(Email), CreatedUtc, GuestId);
create index Guest_Phone on Guest (PhoneE164, CreatedUtc, GuestId);
create index Guest_Active on Guest (ActiveFlag, CreatedUtc, GuestId);
create index Guest_HomeStore on Guest (HomeStoreCode, CreatedUtc, GuestId);

create table GuestVehicle (
  GuestId text not null,
  VehiclePosition integer not null,
  Plate text not null,
  primary key (GuestId, VehiclePosition)
);

create table Pass (
  PassId text not null primary key,
  GuestId text,
  -- Current, On Hold, Terminated; anything else is unknown.
  PassStatus text,
  PlanCode text,
  PlanName text,
  Price text,
  -- Weekly, Monthly, Quarterly or Yearly.
  BillEvery text,
  StoreCode text,
  SoldUtc text check (SoldUtc glob '????-??-??T??:??:??.???Z'),
  NextBillLocal text,
  NextBillUtc text check (NextBillUtc glob '????-??-??T??:??:??.???Z'),
  TerminatedLocal text,
  TerminatedUtc text check (TerminatedUtc glob '????-??-??T??:??:??.???Z')
);
create index Pass_Sold on Pass (SoldUtc, PassId);
create index Pass_Guest on Pass (GuestId, SoldUtc, PassId);
create index Pass_Status on Pass (
  (case PassStatus when 'Current' then 'active' when 'On Hold' then 'suspended' when 'Terminated' then 'canceled' else 'unknown' end),
  SoldUtc,
  PassId
);
create index Pass_Store on Pass (StoreCode, SoldUtc, PassId);

create table PassBilling (
  BillingId text not null primary key,
  PassId text not null,
  BilledUtc text not null check (BilledUtc glob '????-??-??T??:??:??.???Z'),
  -- Payment, Refund, Dispute, Correction, Promotion; anything else is unknown.
  BillingType text,
  Amount text,
  -- Approved, Declined, Submitted; anything else is unknown.
  Outcome text
);
create index PassBilling_Latest on PassBilling (PassId, BilledUtc, BillingId);

create table PassStatusLog (
  LogId text not null primary key,
  PassId text not null,
  LoggedUtc text not null check (LoggedUtc glob '????-??-??T??:??:??.???Z'),
  OldStatus text,
  NewStatus text,
  Remark text
);
create index PassStatusLog_Latest on PassStatusLog (PassId, LoggedUtc, LogId);
