-- name: list_open()
-- What is due and not taken yet, and what runs or could. Work for a bot that is away waits for the bot, not for the clock.
select 'schedule:' || s.id || ':' || s.next_at as thing, false as is_live from pabal.schedule s where s.next_at <= pabal.now() and s.paused_at is null
union all
select 'timer:' || t.machine || ':' || t.subject || ':' || t.due_at, false from pabal.timer t where t.due_at <= pabal.now()
union all
select 'delayed:' || d.id, false from pabal.delayed d where d.due_at <= pabal.now()
union all
select 'expiry:' || e.id, false from pabal.expiry e where e.expires_at <= pabal.now() and pabal.is_open(e.id)
union all
select 'job:' || l.id || ':' || l.token, l.route_epoch is not null from pabal.lease l
union all
select 'job:' || r.id || ':' || r.token + 1, o.route is not null from pabal.ready r left join pabal.route o on o.route = r.queue
where o.route is not null
   or exists (select from pabal.worker w where w.until > pabal.real_now() and w.drain_at is null and w.meta->'kinds' ? r.queue);

-- name: find_next()
-- An expiry stays until its moment also where its job has ended (decision 8): only open jobs have one that matters.
select min(at) from (
  select min(due_at) as at from pabal.delayed where due_at > pabal.now()
  union all select min(next_at) from pabal.schedule where paused_at is null and next_at > pabal.now()
  union all select min(due_at) from pabal.timer where due_at > pabal.now() and due_at < 'infinity'
  union all select min(e.expires_at) from pabal.expiry e where e.expires_at > pabal.now() and pabal.is_open(e.id)) as coming;
