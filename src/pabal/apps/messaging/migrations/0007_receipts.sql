-- What a phone confirms. `state` keeps the words it had, so that a server of the version before can read every row: a part is handled
-- when `handled_at` is there, and seen in its room when `seen_at` is.
alter table pabal.delivery_part
  -- a ping went right behind it, and until its pong nobody knows what became of it; rows from before had none and stay as they are
  add column receipt boolean not null default false,
  add column handled_at timestamptz,
  add column seen_at timestamptz;

-- The device that took the bot's route last. While the route is held it is the one that sends; its other phones are in reserve.
alter table pabal.bot add column holder_id bigint;

-- Somebody said that this phone is to send, and it has not taken the route since.
alter table pabal.bot_device add column chosen_at timestamptz;
