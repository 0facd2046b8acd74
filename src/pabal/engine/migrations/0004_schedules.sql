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
  expires_after interval,
  recurrence jsonb not null,
  zone text not null,
  valid_from timestamptz,
  valid_until timestamptz,
  misfire text not null check (misfire in ('skip', 'latest', 'all')),
  misfire_window interval,
  misfire_max int,
  overlap text not null check (overlap in ('skip', 'queue', 'allow')),
  dst_gap text not null check (dst_gap in ('shift', 'skip')),
  dst_fold text not null check (dst_fold in ('first', 'second', 'both')),
  next_at timestamptz,
  paused_at timestamptz,
  created_at timestamptz not null
) with (fillfactor = 80);
create index schedule_next on pabal.schedule (next_at, id) where paused_at is null and next_at is not null;
create index schedule_about on pabal.schedule (about) where about is not null;

create table pabal.occurrence (
  schedule_id bigint not null,
  fire_at timestamptz not null,
  decision text not null check (decision in ('enqueued', 'skipped', 'coalesced')),
  work_id bigint,
  "end" text check ("end" in ('done', 'partial', 'failed', 'missed', 'cancelled')),
  reason text,
  decided_at timestamptz not null,
  ended_at timestamptz,
  through timestamptz,
  count int not null default 1,
  primary key (schedule_id, fire_at),
  constraint enqueued_has_a_job check ((decision = 'enqueued') = (work_id is not null)),
  constraint only_enqueued_ends check ("end" is null or decision = 'enqueued'),
  constraint an_end_has_its_moment check (("end" is null) = (ended_at is null))
) with (fillfactor = 80);
create unique index occurrence_open on pabal.occurrence (work_id) where "end" is null and work_id is not null;
create index occurrence_open_of on pabal.occurrence (schedule_id) where "end" is null and work_id is not null;
create index occurrence_fire on pabal.occurrence (fire_at);

-- how a job's end reads in the ledger
create function pabal.occurrence_end(result text) returns text language sql immutable parallel safe as $$
  select case result when 'done' then 'done' when 'partial' then 'partial' when 'expired' then 'missed' when 'cancelled' then 'cancelled' else 'failed' end
$$;
