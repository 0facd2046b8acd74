-- name: insert_in(state)$
insert into example.ad_group (state, start_at, end_at) values (:state, '2040-01-01', '2041-01-01') returning id;

-- name: pick_one(id)
-- a part of a statement: finishing.sql, end_along
picked as materialized (
  select g.id, g.unit_id from example.ad_group g where g.id = :id and g.state = 'ready' and exists (select from held) for no key update of g);

-- name: note_it(note)
note = :note::text;

-- name: count_kept(job, subject)
select (select count(*) from pabal.dedupe where work_id = :job) as keys,
  (select count(*) from pabal.fact where subject = :subject) as facts,
  (select bool_and(worker is not null and started_at <= ended_at) from pabal.outcome where id = :job) as named;
