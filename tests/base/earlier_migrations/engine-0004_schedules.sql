-- Time: schedules are rows; the occurrence ledger holds one decision per moment and one end per enqueued one.
create table pabal.schedule (
  id bigint generated always as identity primary key,
  unit_id bigint,
  name text not null,
  kind text not null,
  args jsonb not null,
  about text,
  route text,
  lane text,
  priority smallint not null check (priority between 0 and 3),
  expires_after interval check (expires_after > interval '0'),
  recurrence jsonb not null,
  zone text not null,
  valid_from timestamptz,
  valid_until timestamptz,
  misfire text not null check (misfire in ('skip', 'latest', 'all')),
  misfire_window interval check (misfire_window > interval '0'),
  misfire_max int check (misfire_max between 1 and 1000),
  overlap text not null check (overlap in ('skip', 'queue', 'allow')),
  dst_gap text not null check (dst_gap in ('shift', 'skip')),
  dst_fold text not null check (dst_fold in ('first', 'second', 'both')),
  next_at timestamptz,          -- the first moment without a decision; null: there is none ahead
  paused_at timestamptz,
  paused_by text,
  problem text,                 -- why the engine paused it
  created_at timestamptz not null,
  constraint all_has_its_number check ((misfire = 'all') = (misfire_max is not null)),
  constraint validity_ends_after_it_begins check (valid_until > valid_from),
  constraint a_pause_has_its_actor check ((paused_at is null) = (paused_by is null)),
  constraint a_problem_pauses check (problem is null or paused_at is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index schedule_next on pabal.schedule (next_at, id) where paused_at is null and next_at is not null;
create index schedule_about on pabal.schedule (about) where about is not null;
create index schedule_unit on pabal.schedule (unit_id, id) where unit_id is not null;

create table pabal.occurrence (
  schedule_id bigint not null,
  fire_at timestamptz not null,
  decision text not null check (decision in ('enqueued', 'skipped', 'coalesced')),
  work_id bigint,
  "end" text check ("end" in ('done', 'partial', 'failed', 'missed', 'cancelled')),
  reason text not null,         -- of the decision, until an end brings its own
  decided_at timestamptz not null,
  ended_at timestamptz,
  into_at timestamptz,          -- the moment that runs in place of a coalesced one
  through timestamptz,          -- the last of a run of moments with the same decision, kept as one row
  count int not null default 1,
  actor text,                   -- who triggered it, or asked to skip it
  primary key (schedule_id, fire_at),
  constraint enqueued_has_a_job check ((decision = 'enqueued') = (work_id is not null)),
  constraint only_enqueued_ends check ("end" is null or decision = 'enqueued'),
  constraint an_end_has_its_moment check (("end" is null) = (ended_at is null)),
  constraint only_coalesced_go_into_another check (into_at is null or decision = 'coalesced'),
  constraint a_run_has_two_ends check ((through is null) = (count = 1) and (through is null or (through > fire_at and work_id is null)))
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create unique index occurrence_open on pabal.occurrence (work_id) where "end" is null and work_id is not null;
create index occurrence_open_of on pabal.occurrence (schedule_id) where "end" is null and work_id is not null;
create index occurrence_fire on pabal.occurrence (fire_at);

-- how a job's end reads in the ledger
create function pabal.occurrence_end(result text) returns text language sql immutable parallel safe as $$
  select case result when 'done' then 'done' when 'partial' then 'partial' when 'expired' then 'missed' when 'cancelled' then 'cancelled' else 'failed' end
$$;
