-- name: insert_event(id, name, subject, data, now)
-- waits for another server that is just at the same event, and then finds it done
insert into pabal.broker_event (id, name, subject, data, result, at, ended_at)
values (:id, :name, :subject, :data::jsonb, 'applied', :now, :now) on conflict (id) do nothing returning seq;

-- name: lock_event(id)
select result from pabal.broker_event where id = :id for update;

-- name: end_event(id, result, code, reason, report, now)!
update pabal.broker_event set result = :result, code = :code, reason = :reason, report = :report::jsonb, ended_at = :now
where id = :id;

-- name: count_duplicate(id)!
update pabal.broker_event set duplicates = duplicates + 1 where id = :id;

-- name: insert_unreadable(id, raw, code, reason, now)
insert into pabal.broker_event (id, name, subject, raw, result, code, reason, at, ended_at)
values (:id, '', '', :raw, 'refused', :code, :reason, :now, :now) on conflict (id) do nothing returning seq;

-- name: count_failure(id, name, subject, data, most, reason, now)
-- only what is not done yet: another server may have done it meanwhile
insert into pabal.broker_event as e (id, name, subject, data, result, code, reason, at, ended_at)
values (:id, :name, :subject, :data::jsonb, 'retrying', 'unexpected', :reason, :now, :now)
on conflict (id) do update set tries = e.tries + 1, reason = excluded.reason, ended_at = excluded.ended_at,
  result = case when e.tries + 1 >= :most then 'failed' else 'retrying' end
where e.result = 'retrying'
returning result;
