-- For long work and those who wait for it. Null where nobody asked for it: then a job costs as much as before.

-- true: the job's end is recorded as a fact, in the commit that ends it
alter table pabal.work add column records_end boolean;
-- what the job gave, bounded by the engine
alter table pabal.outcome add column data jsonb;

-- what a schedule says of its jobs besides
alter table pabal.schedule add column deadline interval check (deadline > interval '0');
alter table pabal.schedule add column max_failures smallint not null default 5 check (max_failures >= 1);
alter table pabal.schedule drop constraint schedule_overlap_check;
alter table pabal.schedule add constraint schedule_overlap_check check (overlap in ('skip', 'queue', 'allow', 'cancel_previous'));

-- Jobs to be cancelled by whoever comes next, asked for in a transaction that must not wait for them.
create table pabal.withdrawal (id bigint primary key, reason text not null)
  with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- What the attempts at an open job reported last, for people and for the next attempt; gone with the job's end. `percent`, `since` and
-- `since_percent` are of the attempt with this token: from its first report that had one.
create table pabal.report (
  id bigint primary key, token bigint not null, at timestamptz not null, progress jsonb, checkpoint jsonb,
  percent real, since timestamptz, since_percent real
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- why the attempt was told to stop, if it did not do so at once
alter table pabal.lease add column stop text;
