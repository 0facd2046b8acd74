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

-- A phone that is approved and has not proven itself: it signed wrongly, or has not signed although it was asked a while ago.
create function pabal.is_unproven(b pabal.bot, d pabal.bot_device) returns boolean language sql stable as $$
  select b.secret is not null and d.state = 'approved'
    and (d.signature = 'invalid' or d.signature = 'none' and d.connected_at < pabal.now() - interval '1 minute')
$$;
