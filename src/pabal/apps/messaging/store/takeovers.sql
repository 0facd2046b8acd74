-- name: list_waiting(kind, before, most)
-- What has not begun and waits for a bot that no server holds, in rooms whose bots have an order: a delivery of its own, or an occurrence
-- that nobody has taken yet.
select w.id as job_id, (w.args->>'delivery_id')::bigint as delivery_id, (w.args->>'message_schedule')::bigint as schedule_id,
  (w.args->>'fire_at')::timestamptz as fire_at, coalesce(d.room_id, s.room_id) as room_id, coalesce(d.bot_id, s.bot_id) as bot_id
from (select id from pabal.ready union all select id from pabal.waiting) p
join pabal.work w on w.id = p.id and w.kind = :kind
left join pabal.delivery d on d.id = (w.args->>'delivery_id')::bigint
left join pabal.message_schedule s on s.id = (w.args->>'message_schedule')::bigint
where coalesce(d.scheduled_at, (w.args->>'fire_at')::timestamptz) < :before and coalesce(d.attempts, 0) = 0 and d.cause is distinct from 'test'
  and not exists (
    -- the same job goes on with what has begun or ended
    select from pabal.delivery b where b.schedule_id = (w.args->>'message_schedule')::bigint and b.scheduled_at = (w.args->>'fire_at')::timestamptz
      and (b.attempts > 0 or b.state <> 'open'))
  and not exists (select from pabal.route r join pabal.worker k on k.id = r.worker and k.until > pabal.real_now() where r.route = w.queue)
  and exists (select from pabal.room_bot rb where rb.room_id = coalesce(d.room_id, s.room_id) and rb.turn is not null)
order by w.id limit :most;

-- name: set_bot(id, bot_id)!
update pabal.delivery d set bot_id = :bot_id, image_mode = b.image_mode from pabal.bot b where d.id = :id and b.id = :bot_id;
