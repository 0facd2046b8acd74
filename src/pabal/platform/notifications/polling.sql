-- name: list_bots()
-- unit: every bot there is, for the server's own work; the token of any channel that uses it
-- but not one that another program listens to, as one of its channels says
select distinct on (c.bot_id) c.bot_id, coalesce(b.next_update, 0) as next_update, b.rests_until, b.problem, c.sealed_token
from pabal.notification_channel c left join pabal.telegram_bot b on b.bot_id = c.bot_id
where c.kind = 'telegram' and c.is_active and c.stopped_at is null
  and not exists (select from pabal.notification_channel o where o.bot_id = c.bot_id and not o.is_two_way)
order by c.bot_id, c.user_id is not null, c.id desc;

-- name: find_problem(bot_id)
select problem from pabal.telegram_bot where bot_id = :bot_id;

-- name: forget_problem(bot_id)!
update pabal.telegram_bot set problem = null, rests_until = null where bot_id = :bot_id;

-- name: hold_place(route, epoch, bot_id)
-- the route is ours until the commit, and so is the bot's place
with ours as (select r.epoch from pabal.route r where r.route = :route and r.epoch = :epoch for update)
insert into pabal.telegram_bot (bot_id) select :bot_id from ours on conflict (bot_id) do update set problem = null returning true;

-- name: advance(bot_id, update_id)!
update pabal.telegram_bot set next_update = :update_id::bigint + 1, rests_until = null where bot_id = :bot_id and next_update <= :update_id::bigint;

-- name: rest(bot_id, until, problem)!
insert into pabal.telegram_bot (bot_id, rests_until, problem) values (:bot_id, :until, :problem)
on conflict (bot_id) do update set rests_until = excluded.rests_until, problem = excluded.problem;
