-- Facts: what happened, recorded in the commit that made it true.
-- xid tells a reader what its snapshot sees and its last one did not; seq gives the order.
create table pabal.fact (
  seq bigint generated always as identity,
  xid xid8 not null default pg_current_xact_id(),
  id uuid not null default gen_random_uuid(),
  name text not null,
  subject text not null,
  unit_id bigint,
  at timestamptz not null,
  data jsonb not null,
  primary key (at, seq)
) partition by range (at);
create index fact_xid on pabal.fact (xid);
create index fact_subject on pabal.fact (subject, seq);
create index fact_name on pabal.fact (name, seq);
create index fact_seq on pabal.fact (seq);
create table pabal.fact_default partition of pabal.fact default;

-- seen: delivered in full. upto: being delivered, by seq, up to this snapshot.
-- tries, retry_at: the fact after seq failed so often, and is tried again then.
create table pabal.subscription (
  name text primary key, seen pg_snapshot not null, upto pg_snapshot, seq bigint not null default 0,
  tries smallint not null default 0, retry_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 100);

-- what a subscriber could not take after three tries
create table pabal.fact_aside (
  subscription text not null, seq bigint not null, error text not null, at timestamptz not null, primary key (subscription, seq)
);
