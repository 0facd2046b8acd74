-- name: open_slot(id, worker_id, number, name, host, server, nexrender_url, now)!
insert into rendering.slot (id, worker_id, number, name, host, server, nexrender_url, beat_at, started_at)
values (:id, :worker_id, :number, :name, :host, :server, :nexrender_url, :now, :now)
on conflict (id) do update set name = excluded.name, host = excluded.host, server = excluded.server, nexrender_url = excluded.nexrender_url,
  beat_at = excluded.beat_at, started_at = case when rendering.slot.server is distinct from excluded.server then excluded.started_at
    else rendering.slot.started_at end;

-- name: beat(ids, server, now)!
update rendering.slot set beat_at = :now, server = :server where id = any(:ids::uuid[]);

-- name: leave(ids)!
update rendering.slot set beat_at = null, server = null where id = any(:ids::uuid[]);

-- name: close_others(worker_id, ids)!
-- a server that was started with fewer slots than before
delete from rendering.slot s where s.worker_id = :worker_id and s.id <> all(:ids::uuid[])
  and not exists (select 1 from rendering.render r where r.worker_id = s.id);

-- name: list_slots(ids)
select s.id, s.worker_id, s.number, s.name, s.host, s.server, s.beat_at, s.started_at, s.nexrender_url, s.nexrender_ok, s.nexrender_seen_at,
  s.nexrender_latency_ms, s.paused_at, s.paused_by, s.paused_reason, s.draining_at, s.hours, s.last_poll_at, s.next_poll_at, s.empty_polls,
  s.job_count_completed, s.success_streak, r.id as render_id, r.unit_id as render_unit_id
from rendering.slot s left join rendering.render r on r.worker_id = s.id
where :ids::uuid[] is null or s.id = any(:ids::uuid[])
-- by what people call the worker: a slot's name ends with its number
order by left(s.name, -length(s.number::text)), s.worker_id, s.number;

-- name: hold_slot(id)
select s.id from rendering.slot s where s.id = :id for no key update;

-- name: hold_free(ids)
-- Of these, those nobody renders on; locked, so that two attempts do not take the same.
select s.id from rendering.slot s where s.id = any(:ids::uuid[])
  and not exists (select 1 from rendering.render r where r.worker_id = s.id) order by s.number for no key update;

-- name: set_paused(id, at, by, reason)!
update rendering.slot set paused_at = :at, paused_by = :by, paused_reason = :reason where id = :id;

-- name: set_draining(id, at)!
update rendering.slot set draining_at = :at where id = :id;

-- name: set_hours(id, hours)!
update rendering.slot set hours = :hours where id = :id;

-- name: note_poll(ids, at, next_at, empties)!
update rendering.slot set last_poll_at = :at, next_poll_at = :next_at, empty_polls = :empties where id = any(:ids::uuid[]);

-- name: note_nexrender(ids, ok, at, latency)!
update rendering.slot set nexrender_ok = :ok, nexrender_seen_at = :at, nexrender_latency_ms = :latency where id = any(:ids::uuid[]);

-- name: ask_poll(id, now)!
update rendering.slot set poll_asked_at = :now where id = :id;

-- name: take_poll(ids)
-- asked for by a person: taken once
with asked as (select id from rendering.slot where id = any(:ids::uuid[]) and poll_asked_at is not null for no key update)
update rendering.slot s set poll_asked_at = null from asked where s.id = asked.id returning s.id;

-- name: count_completed(id)!
update rendering.slot set job_count_completed = job_count_completed + 1, success_streak = success_streak + 1 where id = :id;

-- name: list_pauses(slots)
select slot_id, composition_id, failures, last_reason, last_render_id, paused_at from rendering.template_pause
where :slots::uuid[] is null or slot_id = any(:slots::uuid[]) order by slot_id, composition_id;

-- name: list_shown_pauses(slots, units, usable)
-- Only of compositions that one may use, and with the last render only where one may see it.
-- unit: usable is the list of units and those above it, whose compositions one renders too
select p.slot_id, p.composition_id, p.failures, p.last_reason, p.paused_at,
  case when :units::bigint[] is null or r.unit_id = any(:units::bigint[]) then p.last_render_id end as last_render_id
from rendering.template_pause p left join rendering.render r on r.id = p.last_render_id
left join rendering.composition c on c.id = p.composition_id
where p.slot_id = any(:slots::uuid[]) and p.paused_at is not null
  and (:usable::bigint[] is null or c.unit_id = any(:usable::bigint[])) order by p.slot_id, p.composition_id;

-- name: note_failure(slot_id, composition_id, reason, render_id, most, now)
with broken as (update rendering.slot set success_streak = 0 where id = :slot_id)
insert into rendering.template_pause (slot_id, composition_id, failures, last_reason, last_render_id, paused_at)
values (:slot_id, :composition_id, 1, :reason, :render_id, case when :most <= 1 then :now::timestamptz end)
on conflict (slot_id, composition_id) do update set failures = rendering.template_pause.failures + 1, last_reason = excluded.last_reason,
  last_render_id = excluded.last_render_id,
  paused_at = coalesce(rendering.template_pause.paused_at, case when rendering.template_pause.failures + 1 >= :most then :now::timestamptz end)
returning failures, paused_at = :now as is_new;

-- name: forget_failures(slot_id, composition_id)!
delete from rendering.template_pause where slot_id = :slot_id and composition_id = :composition_id;
