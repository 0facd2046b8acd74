-- Work: where a job is, is which table it is in. Bodies are written once; places are narrow rows, inserted and deleted.

create sequence pabal.id_seq;
-- 41 bits of milliseconds since 2024-01-01 and 22 bits of a sequence: sortable, made by the database clock
create function pabal.id_at(moment timestamptz) returns bigint language sql immutable parallel safe
  as 'select ((extract(epoch from moment) * 1000)::bigint - 1704067200000) << 22';
create function pabal.new_id() returns bigint language sql volatile
  as 'select pabal.id_at(pabal.now()) | (nextval(''pabal.id_seq'') & 4194303)';

create table pabal.work (
  id bigint primary key,
  unit_id bigint,
  kind text not null,
  queue text not null,
  priority smallint not null check (priority between 0 and 3),
  lane text,
  about text,
  args jsonb not null,
  max_failures smallint not null,
  max_recoveries smallint not null,
  deadline interval,
  expires_at timestamptz,
  cause text,
  created_at timestamptz not null
) partition by range (id);
create index work_kind on pabal.work (kind, id);
create index work_about on pabal.work (about, id) where about is not null;
create table pabal.work_default partition of pabal.work default;

create table pabal.ready (
  queue text not null, priority smallint not null, ready_at timestamptz not null, id bigint not null,
  token bigint not null, failures smallint not null, recoveries smallint not null, snoozes smallint not null,
  primary key (queue, priority, ready_at, id)
) with (fillfactor = 90);
create unique index ready_id on pabal.ready (id);

create table pabal.delayed (
  due_at timestamptz not null, id bigint not null, reason text not null,
  token bigint not null, failures smallint not null, recoveries smallint not null, snoozes smallint not null,
  primary key (due_at, id)
);
create unique index delayed_id on pabal.delayed (id);

create table pabal.waiting (
  lane text not null, id bigint not null,
  token bigint not null, failures smallint not null, recoveries smallint not null, snoozes smallint not null,
  primary key (lane, id)
);
create unique index waiting_id on pabal.waiting (id);

-- holder 0: free, being advanced
create table pabal.lane (lane text primary key, holder bigint not null) with (fillfactor = 70);

create table pabal.lease (
  id bigint primary key, token bigint not null, worker bigint not null, route_epoch bigint,
  queue text not null, lane text,
  failures smallint not null, recoveries smallint not null, snoozes smallint not null,
  started_at timestamptz not null, deadline timestamptz, cancel_at timestamptz, progress jsonb
) with (fillfactor = 90);
create index lease_worker on pabal.lease (worker);
create index lease_deadline on pabal.lease (deadline) where deadline is not null;
create index lease_cancel on pabal.lease (cancel_at) where cancel_at is not null;

-- open means: it is in one of the four places
create function pabal.is_open(job bigint) returns boolean language sql stable as $$
  select exists (select from pabal.ready where id = job) or exists (select from pabal.delayed where id = job)
      or exists (select from pabal.waiting where id = job) or exists (select from pabal.lease where id = job)
$$;

-- every attempt's end, and the one end of the job
create table pabal.outcome (
  id bigint not null, token bigint not null, final boolean not null, result text not null,
  worker bigint, started_at timestamptz, ended_at timestamptz not null, error jsonb,
  primary key (id, token)
) partition by range (id);
create unique index outcome_final on pabal.outcome (id) where final;
-- for people looking for what went wrong; what went well costs nothing
create index outcome_result on pabal.outcome (result, id) where final and result <> 'done';
create table pabal.outcome_default partition of pabal.outcome default;

-- what came from somebody who no longer held the job: changes nothing, is kept to be seen
create table pabal.stale (
  seq bigint generated always as identity primary key,
  id bigint not null, token bigint not null, worker bigint, result text not null, at timestamptz not null
);

-- a row only for jobs that can expire; left until its moment, so that settling costs nothing
create table pabal.expiry (expires_at timestamptz not null, id bigint not null, primary key (expires_at, id));

create table pabal.dedupe (
  scope text not null, key text not null, work_id bigint not null, until timestamptz, primary key (scope, key)
);
create index dedupe_work on pabal.dedupe (work_id);

-- one life of one process; the only heartbeat
create table pabal.worker (
  id bigint primary key, until timestamptz not null, host text not null, started_at timestamptz not null, meta jsonb not null
) with (fillfactor = 50);

create sequence pabal.epoch_seq;
create table pabal.route (route text primary key, worker bigint not null, epoch bigint not null);
create index route_worker on pabal.route (worker);

-- what limits count, and the row that is locked while one is taken
create table pabal.started (limit_key text not null, at timestamptz not null, weight smallint not null, id bigint not null);
create index started_key on pabal.started (limit_key, at);
create index started_at on pabal.started (at);
create table pabal.limit_key (key text primary key, promised timestamptz) with (fillfactor = 70);

do $$
declare t text;
begin
  foreach t in array array['ready', 'delayed', 'waiting', 'lane', 'lease', 'worker', 'route', 'limit_key', 'started', 'expiry', 'dedupe'] loop
    execute format('alter table pabal.%I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0)', t);
  end loop;
end $$;
