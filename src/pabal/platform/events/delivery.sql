-- name: note_done(consumer, seqs)
insert into pabal.event_done (consumer, event_seq) select :consumer, s from unnest(:seqs::bigint[]) as s
on conflict do nothing returning event_seq;

-- name: insert_dead(consumer, event_seq, unit_id, error, tries, now)!
-- after a replay it may be dead already
insert into pabal.dead_letter as d (consumer, event_seq, unit_id, error, tries, at)
values (:consumer, :event_seq, :unit_id, :error, :tries, :now)
on conflict (consumer, event_seq) do update set error = excluded.error, tries = d.tries + excluded.tries, at = excluded.at, asked_at = null;

-- name: take_asked(consumer)
select d.id as letter, e.seq, e.id, e.name, e.key, e.unit_id, e.source, e.at, e.data
from pabal.dead_letter d join pabal.event e on e.seq = d.event_seq
where d.consumer = :consumer and d.asked_at is not null order by d.asked_at limit 1 for update of d skip locked;

-- name: delete_dead(id)!
delete from pabal.dead_letter where id = :id;

-- name: fail_again(id, error, now)!
update pabal.dead_letter set error = :error, tries = tries + 1, at = :now, asked_at = null where id = :id;
