-- One content to many rooms. What a schedule with one room has is as it was: these tables are beside it, and a server of the version
-- before, which reads all columns of a schedule, reads on.

-- Words by which rooms are gathered, and which bot of a room speaks first; without a turn a bot never takes over.
alter table pabal.room add column tags text[] not null default '{}';
create index room_tags on pabal.room using gin (tags);
alter table pabal.room_bot add column turn smallint check (turn between 1 and 1000);

-- A group is a rule that is kept: the claimed rooms of a unit and those below it, of a kind, with a tag.
create table pabal.room_group (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  name text not null check (char_length(name) between 1 and 100),
  -- null: of its own unit
  within_id bigint references pabal.unit (id),
  room_type text check (room_type in ('production', 'test')),
  tag text check (char_length(tag) between 1 and 30),
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (unit_id, name)
);

-- A schedule that has one of these goes to many rooms; its own room and bot are then the first of them.
create table pabal.message_audience (
  schedule_id bigint primary key references pabal.message_schedule (id) on delete cascade,
  group_id bigint references pabal.room_group (id),
  -- as it was given: its rooms and their values are in the rows below
  rooms_csv text,
  -- over the bots that share a room, or by one bot of each
  share_bots boolean not null default false,
  spread_minutes integer not null default 0 check (spread_minutes between 0 and 1440),
  -- null: as late as any send may be
  window_minutes integer check (window_minutes between 1 and 1440)
);
create index message_audience_group on pabal.message_audience (group_id) where group_id is not null;

-- Its rooms by name: picked, or of the CSV with the values of its columns.
create table pabal.message_audience_room (
  schedule_id bigint not null references pabal.message_audience (schedule_id) on delete cascade,
  room_id bigint not null references pabal.room (id) on delete cascade,
  no integer not null,
  is_picked boolean not null,
  columns jsonb not null default '{}',
  primary key (schedule_id, room_id)
);
create index message_audience_room_room on pabal.message_audience_room (room_id);

-- One occurrence of such a schedule: its rooms as they were then. It ends with the last of its deliveries.
create table pabal.bulk_send (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  schedule_id bigint not null references pabal.message_schedule (id) on delete cascade,
  fire_at timestamptz not null,
  cause text not null check (cause in ('schedule', 'now')),
  asked_by text,
  rooms integer not null,
  -- what waits only for its turn is not missed before
  until timestamptz not null,
  job_id bigint,
  created_at timestamptz not null,
  ended_at timestamptz,
  unique (schedule_id, fire_at)
);
create index bulk_send_unit on pabal.bulk_send (unit_id, id);
create index bulk_send_job on pabal.bulk_send (job_id) where job_id is not null;

-- Each room's delivery keeps a moment of its own, so that one per schedule and moment stays true.
alter table pabal.delivery add column bulk_id bigint references pabal.bulk_send (id) on delete cascade;
create index delivery_bulk on pabal.delivery (bulk_id, state) where bulk_id is not null;
