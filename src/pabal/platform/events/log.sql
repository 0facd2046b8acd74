-- name: insert_events(ids, names, keys, units, datas, source, at)
-- waits for another transaction that is just at the same id, and then finds it there
insert into pabal.event (id, name, key, slot, unit_id, source, at, data)
select e.id, e.name, e.key, hashtextextended(case when e.key = '' then e.id else e.key end, 0) & 63, e.unit_id, :source, :at::timestamptz,
  e.data::jsonb
from unnest(:ids::text[], :names::text[], :keys::text[], :units::bigint[], :datas::text[]) as e(id, name, key, unit_id, data)
on conflict (unit_id, id) do nothing returning seq;

-- name: find_by_id(unit_id, id)
-- unit: an id is one event of its unit, and publish has asked the one door whether that is in sight
select seq, id, name, key, unit_id, source, at, data from pabal.event where unit_id = :unit_id and id = :id;

-- name: find_event(seq)
select seq, id, name, key, unit_id, source, at, data from pabal.event where seq = :seq;

-- name: list_events(units, pattern, key, event_id, before, most)
select seq, id, name, key, unit_id, source, at, data from pabal.event
where seq < :before and (:units::bigint[] is null or unit_id = any (:units::bigint[])) and (:pattern::text is null or name like :pattern)
  and (:key::text is null or key = :key) and (:event_id::text is null or id = :event_id)
order by seq desc limit :most;

-- name: list_after(units, pattern, after, most)
select seq, id, name, key, unit_id, source, at, data from pabal.event
where seq > :after and (:units::bigint[] is null or unit_id = any (:units::bigint[])) and name like :pattern
order by seq limit :most;
