-- What is to be rendered and what became of it, the slots that render it, and how fields become layers.
create schema rendering;

create table rendering.composition (
  id text primary key check (char_length(id) between 1 and 100),
  unit_id bigint not null references pabal.unit (id),
  name text not null check (char_length(name) between 1 and 200),
  -- as the worker sees it; may be a Windows path
  template_src text not null check (char_length(template_src) between 1 and 1000),
  output_module text not null,
  output_ext text not null default 'mp4',
  width integer not null default 1920 check (width between 1 and 16384),
  height integer not null default 1080 check (height between 1 and 16384),
  codec text not null default 'h264',
  duration_seconds double precision check (duration_seconds > 0),
  duration_tolerance double precision check (duration_tolerance >= 0),
  flag_path_template text,
  text_limits jsonb not null default '{}',
  created_at timestamptz not null default pabal.now(),
  updated_at timestamptz not null default pabal.now()
);
create index composition_unit on rendering.composition (unit_id, id);

-- `aep_field_mapping` outside.
create table rendering.field_mapping (
  composition_id text not null references rendering.composition (id) on delete cascade on update cascade,
  field_name text not null check (char_length(field_name) between 1 and 200),
  layer_name text not null check (char_length(layer_name) between 1 and 200),
  kind text not null default 'text' check (kind in ('text', 'image', 'expression')),
  property text not null default 'Source Text',
  primary key (composition_id, field_name)
);

-- `render_queue` outside.
create table rendering.render (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  state text not null default 'pending' check (state in
    ('pending', 'preparing', 'rendering', 'encoding', 'uploading', 'completed', 'failed', 'cancelled')),
  version integer not null default 1,
  composition_id text not null,
  composition_name text not null,
  -- sealed: players and their chips are nobody's business who reads a backup
  gfx_data text not null,
  -- of composition, template and data: the same input has the same
  content_hash text not null,
  cue_item_id text check (char_length(cue_item_id) <= 200),
  broadcast_date date not null,
  priority smallint not null default 2 check (priority between 0 and 3),
  on_air_at timestamptz,
  requested_by text not null,
  -- the engine's job that works on it, and how many of its recoveries are counted here already
  job_id bigint,
  seen_recoveries integer not null default 0,
  attempt integer not null default 1 check (attempt >= 1),
  -- the stage it stands in, or begins at when somebody asked for that
  stage text not null default 'prepare' check (stage in ('prepare', 'submit', 'queue', 'render', 'encode', 'validate', 'copy', 'done')),
  stage_began_at timestamptz,
  -- the slot that works on it
  worker_id uuid,
  worker_name text,
  lock_expires_at timestamptz,
  -- cancelled for people, while After Effects still renders it: the slot and the licence stay taken
  is_winding_down boolean not null default false,
  nexrender_job_id text,
  nexrender_state text,
  -- when the POST went out; without an answer, nobody knows whether it arrived
  posted_at timestamptz,
  submitted_at timestamptz,
  nexrender_started_at timestamptz,
  progress smallint not null default 0 check (progress between 0 and 100),
  progress_at timestamptz,
  -- where nexrender left this attempt's file, as the server sees it
  rendered_path text,
  rendered_at timestamptz,
  validated_at timestamptz,
  video jsonb,
  output_file_path text,
  output_size bigint,
  output_sha256 text,
  started_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null default pabal.now(),
  updated_at timestamptz not null default pabal.now(),
  duration_seconds double precision,
  recovery_count integer not null default 0,
  timeouts integer not null default 0,
  -- what stands in its way now: how often it was tried, and when it is tried again
  fault text,
  fault_count integer not null default 0,
  fault_detail text,
  next_try_at timestamptz,
  error_code text,
  error_message text,
  constraint a_failure_has_a_reason check (state <> 'failed' or error_code is not null),
  constraint what_is_completed_has_a_file check (state <> 'completed' or (output_file_path is not null and completed_at is not null)),
  constraint who_works_has_a_lock check (worker_id is null or lock_expires_at is not null)
) with (fillfactor = 70);
-- whatever there was before, these stay as small as what is going on
create index render_pending on rendering.render (priority, id) where state = 'pending';
create unique index render_of_slot on rendering.render (worker_id) where worker_id is not null;
create index render_working on rendering.render (lock_expires_at) where state in ('preparing', 'rendering', 'encoding', 'uploading') or is_winding_down;
create index render_unit on rendering.render (unit_id, id);
create index render_state on rendering.render (state, id);
create index render_same on rendering.render (content_hash, id) where state = 'completed';
create index render_history on rendering.render (composition_id, completed_at) where state = 'completed';
create index render_ended on rendering.render (updated_at) where state in ('completed', 'failed', 'cancelled');
create index render_cue on rendering.render (cue_item_id) where cue_item_id is not null;
create index render_on_air on rendering.render (on_air_at) where on_air_at is not null and state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading');

-- A render without its data: what lists, pages and the work itself read.
create view rendering.render_row as
select id, unit_id, state, version, composition_id, composition_name, content_hash, cue_item_id, broadcast_date, priority, on_air_at,
  requested_by, job_id, seen_recoveries, attempt, stage, stage_began_at, worker_id, worker_name, lock_expires_at, is_winding_down,
  nexrender_job_id, nexrender_state, posted_at, submitted_at, nexrender_started_at, progress, progress_at, rendered_path, rendered_at,
  validated_at, video, output_file_path, output_size, output_sha256, started_at, completed_at, created_at, updated_at, duration_seconds,
  recovery_count, timeouts, fault, fault_count, fault_detail, next_try_at, error_code, error_message
from rendering.render;

-- One row for each time it is rendered: what was sent, where, and how that ended.
create table rendering.attempt (
  render_id bigint not null references rendering.render (id) on delete cascade,
  number integer not null,
  worker_id uuid,
  worker_name text,
  nexrender_job_id text,
  -- sealed, as the data in it is
  job_json text,
  -- names of fields and layers, never their values
  mapping_report jsonb,
  began_at timestamptz not null default pabal.now(),
  ended_at timestamptz,
  result text,
  reason text,
  detail text,
  primary key (render_id, number)
);

create table rendering.stage_time (
  render_id bigint not null references rendering.render (id) on delete cascade,
  attempt integer not null,
  stage text not null,
  began_at timestamptz not null,
  ended_at timestamptz,
  primary key (render_id, attempt, stage)
);
create index stage_time_ended on rendering.stage_time (ended_at) where ended_at is not null;

create table rendering.log_line (
  id bigint generated always as identity primary key,
  render_id bigint not null references rendering.render (id) on delete cascade,
  at timestamptz not null default pabal.now(),
  level text not null check (level in ('DEBUG', 'INFO', 'WARNING', 'ERROR')),
  worker text,
  message text not null
);
create index log_line_render on rendering.log_line (render_id, id);

-- A slot renders one at a time: a licence of After Effects on a server.
create table rendering.slot (
  id uuid primary key,
  worker_id text not null,
  number integer not null,
  name text not null,
  host text not null default '',
  -- the server's life; its heartbeat says whether the slot is there
  server bigint,
  beat_at timestamptz,
  started_at timestamptz,
  nexrender_url text not null default '',
  nexrender_ok boolean,
  nexrender_seen_at timestamptz,
  nexrender_latency_ms double precision,
  paused_at timestamptz,
  paused_by text,
  paused_reason text,
  draining_at timestamptz,
  hours jsonb,
  last_poll_at timestamptz,
  next_poll_at timestamptz,
  empty_polls integer not null default 0,
  poll_asked_at timestamptz,
  job_count_completed integer not null default 0,
  unique (worker_id, number)
);

-- What a slot failed at again and again, and so does not get for now.
create table rendering.template_pause (
  slot_id uuid not null references rendering.slot (id) on delete cascade,
  composition_id text not null,
  failures integer not null default 0,
  last_reason text,
  last_render_id bigint,
  paused_at timestamptz,
  primary key (slot_id, composition_id)
);

do $$
declare t text;
begin
  foreach t in array array['render', 'stage_time', 'slot'] loop
    execute format('alter table rendering.%I set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
      autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0)', t);
  end loop;
end $$;
