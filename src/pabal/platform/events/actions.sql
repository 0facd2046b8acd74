-- name: hold_consumer(consumer)
select name from pabal.event_consumer where name = :consumer for update;

-- name: switch(consumer, is_paused)!
update pabal.event_consumer set is_paused = :is_paused where name = :consumer;

-- name: delete_consumer(consumer)!
delete from pabal.event_consumer where name = :consumer;

-- name: forget_done(consumer, first)!
delete from pabal.event_done where consumer = :consumer and event_seq >= :first;

-- name: forget_dead(consumer)!
delete from pabal.dead_letter where consumer = :consumer;

-- name: list_dead(units, consumer, before, most)
select d.id, d.consumer, d.event_seq, e.id as event_id, e.name, e.key, d.unit_id, d.error, d.tries, d.at, d.asked_at, e.data
from pabal.dead_letter d join pabal.event e on e.seq = d.event_seq
where d.id < :before and (:units::bigint[] is null or d.unit_id = any (:units::bigint[])) and (:consumer::text is null or d.consumer = :consumer)
order by d.id desc limit :most;

-- name: find_dead(id)
select d.id, d.consumer, d.event_seq, e.id as event_id, e.name, e.key, d.unit_id, d.error, d.tries, d.at, d.asked_at, e.data
from pabal.dead_letter d join pabal.event e on e.seq = d.event_seq where d.id = :id;

-- name: hold_dead(id)!
select from pabal.dead_letter where id = :id for update;

-- name: ask_again(id, now)!
update pabal.dead_letter set asked_at = :now where id = :id;

-- name: delete_letter(id)!
delete from pabal.dead_letter where id = :id;

-- name: count_dead_in(units)
select count(*)::int from pabal.dead_letter where :units::bigint[] is null or unit_id = any (:units::bigint[]);
