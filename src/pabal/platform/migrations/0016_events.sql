-- Events: what somebody tells the house under a name, for whoever subscribes; kept in order, each id once in its unit.
-- xid: places are snapshots, as of facts (decision 7), so that a commit that comes late is not stepped over.
-- slot: of the key, or of the id where there is none; a consumer's shares are slots modulo their number.
-- unit_id without a reference, as of facts: a log outlives the unit it tells of.
create table pabal.event (
  seq bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  id text not null check (length(id) between 1 and 200),
  name text not null,
  key text not null,
  slot smallint not null check (slot between 0 and 63),
  unit_id bigint not null,
  source text not null,
  at timestamptz not null,
  data jsonb not null,
  constraint an_id_is_one_event unique (unit_id, id)
);
create index event_xid on pabal.event (xid);
create index event_unit on pabal.event (unit_id, seq);
create index event_at on pabal.event using brin (at) with (pages_per_range = 16);

-- Who takes events, as the code said last.
create table pabal.event_consumer (
  name text primary key,
  patterns text[] not null,
  shares smallint not null check (shares between 1 and 64),
  is_paused boolean not null default false,
  since timestamptz not null
);

-- How far each share of a consumer is: all of `seen`, and of what `upto` saw besides, all up to seq.
-- of: how many shares there were when the place was made; who reads goes by this and not by what its code says.
create table pabal.event_place (
  consumer text not null references pabal.event_consumer on delete cascade,
  share smallint not null, of smallint not null, seen pg_snapshot not null, upto pg_snapshot, seq bigint not null default 0,
  tries smallint not null default 0, retry_at timestamptz,
  primary key (consumer, share),
  constraint a_share_is_one_of_them check (share >= 0 and share < of)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 100);

-- What a consumer has done: the row is written in the commit of the effect, so that it has no second one.
create table pabal.event_done (
  consumer text not null, event_seq bigint not null, primary key (consumer, event_seq)
);
