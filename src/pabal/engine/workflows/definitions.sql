-- name: hold_workflow(unit_id, name, seen_by)
-- unit: the name is taken in the unit it is saved in; who may save there was asked
insert into pabal.workflow (unit_id, name, seen_by, created_at) values (:unit_id, :name, :seen_by, pabal.now())
on conflict (unit_id, name) do update set seen_by = excluded.seen_by returning id;

-- name: insert_version(id, definition, kinds, destinations, by, seen_by, starts_on)!
with w as (
  update pabal.workflow set newest = newest + 1, archived_at = null, seen_by = :seen_by, starts_on = :starts_on where id = :id returning id, newest)
insert into pabal.workflow_version (workflow_id, number, definition, kinds, destinations, made_by, made_at)
select w.id, w.newest, :definition, :kinds::text[], :destinations::text[], :by, pabal.now() from w;

-- name: find_workflow(id, number)
select w.id, w.unit_id, w.name, w.newest, w.seen_by, w.created_at, w.archived_at,
  v.id as definition_id, v.number, v.definition, v.destinations, v.made_by, v.made_at
from pabal.workflow w join pabal.workflow_version v on v.workflow_id = w.id and v.number = coalesce(:number::int, w.newest)
where w.id = :id;

-- name: find_named(name, unit_id)
-- unit: a run starts what its own unit has under this name
select w.id, w.unit_id, w.name, w.newest, w.seen_by, w.created_at, w.archived_at,
  v.id as definition_id, v.number, v.definition, v.destinations, v.made_by, v.made_at
from pabal.workflow w join pabal.workflow_version v on v.workflow_id = w.id and v.number = w.newest
where w.name = :name and w.unit_id is not distinct from :unit_id::bigint and w.archived_at is null;

-- name: list_started_by(events, units)
-- unit: those of an event's unit and of the units above it; which these are, the caller knows
select w.id, w.unit_id, w.name, w.newest, w.seen_by, w.created_at, w.archived_at,
  v.id as definition_id, v.number, v.definition, v.destinations, v.made_by, v.made_at
from pabal.workflow w join pabal.workflow_version v on v.workflow_id = w.id and v.number = w.newest
where w.starts_on = any(:events::text[]) and w.archived_at is null and (w.unit_id is null or w.unit_id = any(:units::bigint[]))
order by w.id;

-- name: archive_workflow(id)!
update pabal.workflow set archived_at = pabal.now() where id = :id and archived_at is null;

-- name: list_names(unit_id)
-- unit: a workflow may start those of its own unit
select name from pabal.workflow where unit_id is not distinct from :unit_id::bigint and archived_at is null;

-- name: load_definitions(ids)
select id, definition from pabal.workflow_version where id = any(:ids::bigint[]);

-- name: list_kinds()
select name, version, input, output from pabal.workflow_kind;

-- name: keep_kind(name, version, input, output, effects)!
insert into pabal.workflow_kind (name, version, input, output, effects) values (:name, :version, :input, :output, :effects::text[])
on conflict (name, version) do update set input = excluded.input, output = excluded.output, effects = excluded.effects
where (pabal.workflow_kind.input, pabal.workflow_kind.output, pabal.workflow_kind.effects)
  is distinct from (excluded.input, excluded.output, excluded.effects);

-- name: list_needed_kinds()
select k.kind, w.name, count(*) as runs
from pabal.workflow_run r join pabal.workflow_version v on v.id = r.definition_id join pabal.workflow w on w.id = r.workflow_id
cross join lateral unnest(v.kinds) as k(kind)
where r.ended_at is null group by k.kind, w.name order by k.kind, w.name;

-- name: lock_workflow(id)
select id from pabal.workflow where id = :id for update;
