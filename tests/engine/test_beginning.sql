-- name: insert_in(states, start_at, end_at)
insert into example.ad_group (state, start_at, end_at)
select s, :start_at::timestamptz, :end_at::timestamptz from unnest(:states::text[]) as s returning id, state;

-- name: insert_one(unit_id, start_at, end_at)
-- a part of a statement: transitions.begin_inserted
begun as (
  insert into example.ad_group (unit_id, start_at, end_at)
  select :unit_id::bigint, :start_at::timestamptz, :end_at::timestamptz where :unit_id is not null returning id, unit_id);

-- name: note_each(notes)
-- columns of the statement that moves: transitions.move_noting
note = (:notes::text[])[f.number] || s.id;

-- name: pick_all()
-- a part of a statement: transitions.move_at_once
picked as materialized (select g.id, g.unit_id, g.note as before from example.ad_group g order by g.id for no key update skip locked);

-- name: note_picked(note)
note = :note::text || coalesce(p.before, '-');
