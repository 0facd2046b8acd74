-- Bots are phones, rooms are where they speak, schedules say what is sent there and when, deliveries are what became of it.

-- A bot is known by its name. Without a unit it belongs to nobody yet, and only the whole house sees it.
create table pabal.bot (
  id bigint generated always as identity primary key,
  unit_id bigint references pabal.unit (id),
  name text not null unique check (char_length(name) between 1 and 30),
  image_mode text not null default 'single' check (image_mode in ('single', 'group')),
  -- sealed; where they are set, a device must sign
  secret text,
  salt text,
  -- failed deliveries in a row
  failures integer not null default 0 check (failures >= 0),
  excluded_at timestamptz,
  excluded_by text,
  excluded_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint an_exclusion_has_a_reason check ((excluded_at is null) = (excluded_reason is null))
);
create index bot_unit on pabal.bot (unit_id, id);

-- A phone that said it is this bot. Where it is connected now is in its row: there is no mapping of bots to servers.
create table pabal.bot_device (
  id bigint generated always as identity primary key,
  -- always its bot's
  unit_id bigint references pabal.unit (id),
  bot_id bigint not null references pabal.bot (id) on delete cascade,
  device_id text not null check (char_length(device_id) between 1 and 100),
  state text not null,
  version integer not null default 0,
  client_version text not null default '',
  client_type text not null default '',
  info text not null default '',
  address text not null default '',
  -- of the last pong: none, valid, invalid
  signature text not null default 'none' check (signature in ('none', 'valid', 'invalid')),
  -- the life it is connected to; the connection is over when that life is
  worker bigint,
  connected_at timestamptz,
  last_ping_at timestamptz,
  monitoring jsonb not null default '{}',
  decided_by text,
  decided_at timestamptz,
  created_at timestamptz not null,
  unique (bot_id, device_id)
);
create index bot_device_unit on pabal.bot_device (unit_id, id);
create index bot_device_state on pabal.bot_device (state, id);
create index bot_device_worker on pabal.bot_device (worker) where worker is not null;

-- A room is known by its Kakao channel id. Discovered from messages, without a unit until somebody claims it.
create table pabal.room (
  id bigint generated always as identity primary key,
  unit_id bigint references pabal.unit (id),
  channel_id text not null unique check (char_length(channel_id) between 1 and 100),
  name text not null check (char_length(name) between 1 and 200),
  room_type text not null default 'production' check (room_type in ('production', 'test')),
  note text not null default '' check (char_length(note) <= 500),
  -- this room's own limits; null: the setting's, 0: none
  min_gap_seconds integer check (min_gap_seconds between 0 and 86400),
  dispatches_per_day integer check (dispatches_per_day between 0 and 100000),
  messages_per_minute integer check (messages_per_minute between 0 and 100000),
  messages_per_hour integer check (messages_per_hour between 0 and 100000),
  messages_per_day integer check (messages_per_day between 0 and 100000),
  max_text_length integer check (max_text_length between 1 and 65000),
  last_message_at timestamptz,
  claimed_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index room_unit on pabal.room (unit_id, id);

-- Which bots are in a room, and what each of them calls it: a text is addressed by that name.
create table pabal.room_bot (
  room_id bigint not null references pabal.room (id) on delete cascade,
  bot_id bigint not null references pabal.bot (id) on delete cascade,
  room_name text not null check (char_length(room_name) between 1 and 200),
  last_seen_at timestamptz not null,
  primary key (room_id, bot_id)
);
create index room_bot_bot on pabal.room_bot (bot_id, room_id);

-- How much is said in a room, by the minute: what a delivery is followed by.
create table pabal.room_traffic (
  room_id bigint not null references pabal.room (id) on delete cascade,
  minute timestamptz not null,
  messages integer not null,
  primary key (room_id, minute)
);

create table pabal.message_template (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  name text not null check (char_length(name) between 1 and 100),
  text text,
  images_1 jsonb not null default '[]',
  images_2 jsonb not null default '[]',
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (unit_id, name)
);

-- The seeds' kb_schedule. When it is due is the engine's business: `timetable_id` is the engine's schedule.
create table pabal.message_schedule (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  state text not null,
  version integer not null default 0,
  timetable_id bigint unique,
  title text not null check (char_length(title) between 1 and 255),
  description text not null default '',
  created_by text not null,
  bot_id bigint not null references pabal.bot (id),
  room_id bigint not null references pabal.room (id),
  text text,
  images_1 jsonb not null default '[]',
  images_2 jsonb not null default '[]',
  send_order text not null default 'text_first' check (send_order in ('text_first', 'images_first', 'images_only')),
  send_interval_seconds integer not null default 1 check (send_interval_seconds between 0 and 3600),
  media_wait_1 integer not null default 0 check (media_wait_1 between 0 and 600000),
  media_wait_2 integer not null default 0 check (media_wait_2 between 0 and 600000),
  schedule_type text not null check (schedule_type in ('once', 'daily', 'weekly')),
  schedule_date date,
  schedule_time time not null,
  -- 0 is Monday
  schedule_weekdays smallint[] not null default '{}',
  zone text not null,
  valid_from timestamptz not null,
  valid_until timestamptz not null,
  late_policy text not null default 'window' check (late_policy in ('window', 'send_late', 'ask', 'skip')),
  template_id bigint references pabal.message_template (id) on delete set null,
  last_sent_at timestamptz,
  send_count integer not null default 0,
  -- failed deliveries in a row
  failures integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  constraint once_has_a_date check ((schedule_type = 'once') = (schedule_date is not null)),
  constraint weekly_has_days check ((schedule_type = 'weekly') = (cardinality(schedule_weekdays) > 0)),
  constraint validity_ends_after_it_begins check (valid_until > valid_from)
);
create index message_schedule_unit on pabal.message_schedule (unit_id, id) where deleted_at is null;
create index message_schedule_state on pabal.message_schedule (state, id);
create index message_schedule_room on pabal.message_schedule (room_id, bot_id);
create index message_schedule_bot on pabal.message_schedule (bot_id, room_id);

-- The seeds' kb_schedule_logs: what was to be sent, as it was when it began, and what became of it. One per occurrence.
create table pabal.delivery (
  id bigint primary key default pabal.new_id(),
  unit_id bigint not null references pabal.unit (id),
  state text not null,
  version integer not null default 0,
  schedule_id bigint not null references pabal.message_schedule (id) on delete cascade,
  room_id bigint not null references pabal.room (id),
  bot_id bigint not null references pabal.bot (id),
  scheduled_at timestamptz not null,
  -- schedule: its moment came; now: somebody said so; test: to a test room
  cause text not null check (cause in ('schedule', 'now', 'test')),
  asked_by text,
  is_catch_up boolean not null default false,
  job_id bigint,
  attempts integer not null default 0,
  content jsonb not null,
  image_mode text not null check (image_mode in ('single', 'group')),
  template_id bigint,
  started_at timestamptz,
  ended_at timestamptz,
  duration_ms integer,
  -- a code, such as bot_offline; the sentence is made from it and from detail
  reason text,
  detail jsonb not null default '{}',
  deferred_by text,
  deferred_until timestamptz,
  created_at timestamptz not null,
  unique (schedule_id, scheduled_at)
);
create index delivery_unit on pabal.delivery (unit_id, id);
create index delivery_schedule on pabal.delivery (schedule_id, id);
create index delivery_room on pabal.delivery (room_id, id);
create index delivery_bot on pabal.delivery (bot_id, id);
create index delivery_state on pabal.delivery (state, scheduled_at);
create index delivery_scheduled on pabal.delivery (scheduled_at, id);
create index delivery_job on pabal.delivery (job_id) where job_id is not null;
create index delivery_ended on pabal.delivery (ended_at) where ended_at is not null;

-- One packet to the bot each. `writing` is committed before its first byte, `written` after its last: what is found in
-- `writing` afterwards may or may not have arrived.
create table pabal.delivery_part (
  delivery_id bigint not null references pabal.delivery (id) on delete cascade,
  no smallint not null,
  component text not null check (component in ('text', 'images_1', 'images_2')),
  -- which images of the group, from 0, the end not included
  from_image smallint not null default 0,
  to_image smallint not null default 0,
  state text not null check (state in ('planned', 'writing', 'written', 'unknown')),
  token bigint,
  began_at timestamptz,
  written_at timestamptz,
  -- how often it was written again although nobody knew whether it had arrived
  resent smallint not null default 0,
  primary key (delivery_id, no)
);

-- What one server of bots says of itself every few seconds.
create table pabal.bot_server (
  worker bigint primary key,
  host text not null,
  port integer not null,
  active_bots integer not null,
  total_connections integer not null,
  memory_mb real not null,
  cpu_percent real not null,
  refused bigint not null default 0,
  started_at timestamptz not null,
  at timestamptz not null
);

-- Months of deliveries put away in the file store.
create table pabal.delivery_archive (
  month date primary key,
  file_id bigint not null references pabal.file (id),
  deliveries integer not null,
  made_at timestamptz not null
);

-- What happened, counted by the hour, so that it survives restarts: duplicates prevented and where, limits that bound.
create table pabal.message_count (
  hour timestamptz not null,
  name text not null,
  label text not null default '',
  count bigint not null,
  primary key (hour, name, label)
);
