-- What people are told: in the console and through channels. A log of what was said, so it outlives its unit.
create table pabal.notification (
  id bigint primary key default pabal.new_id(),
  unit_id bigint,
  name text not null,
  level text not null check (level in ('info', 'attention', 'failure')),
  -- English, Korean
  title text[] not null check (cardinality(title) = 2),
  text text[] not null check (cardinality(text) = 2),
  about text,
  link text,
  document_key text,
  document_name text,
  key text,
  times integer not null default 1,
  at timestamptz not null,
  last_at timestamptz not null
);
create index notification_unit on pabal.notification (unit_id, id) where unit_id is not null;
create index notification_key on pabal.notification (key, id) where key is not null;

create table pabal.notification_read (
  reader text primary key,
  upto bigint not null
);

create table pabal.notification_channel (
  id bigint generated always as identity primary key,
  unit_id bigint not null references pabal.unit (id),
  kind text not null default 'telegram' check (kind = 'telegram'),
  name text not null check (length(name) between 1 and 100),
  chat_id text not null,
  bot_id bigint not null,
  sealed_token text not null,
  token_tail text not null,
  lang text not null check (lang in ('en', 'ko')),
  least_level text not null check (least_level in ('info', 'attention', 'failure')),
  wants text[] not null,
  is_active boolean not null,
  -- Telegram said that nothing will arrive there until somebody acts
  stopped_at timestamptz,
  last_ok_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  created_at timestamptz not null,
  constraint a_channel_name_in_its_unit unique (unit_id, name)
);

-- One message on its way through one channel, and how many of its parts have arrived. Without a notification it is a test.
create table pabal.notification_delivery (
  id bigint primary key default pabal.new_id(),
  channel_id bigint not null references pabal.notification_channel (id) on delete cascade,
  notification_id bigint,
  text text not null,
  link text,
  document_key text,
  document_name text,
  parts_sent integer not null default 0,
  result text check (result in ('sent', 'failed')),
  detail text,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint ended_with_a_result check ((result is null) = (ended_at is null))
);
create index notification_delivery_channel on pabal.notification_delivery (channel_id, id);
