-- name: insert_entry(at, actor, actor_label, origin, unit_id, action, about, before, after)!
insert into pabal.audit (at, actor, actor_label, origin, unit_id, action, about, before, after)
values (:at, :actor, :actor_label, :origin, :unit_id, :action, :about, :before, :after);

-- name: list_entries(units, veiled, actor, actions, about, first, before, most)
-- ids carry their moment, so a time range is a range of the primary key
select id, at, actor, actor_label, origin, unit_id, action, about, before, after from pabal.audit
where id >= :first and id < :before
  and (:units::bigint[] is null or unit_id = any(:units::bigint[])) and action not like all(:veiled::text[])
  and (:actor::text is null or actor = :actor) and (:actions::text[] is null or action = any(:actions::text[]))
  and (:about::text is null or about = :about)
order by id desc limit :most;

-- name: list_recent(units, veiled, first, before, look, most)
-- of many units the newest are mostly among the newest of all
select * from (
  select id, at, actor, actor_label, origin, unit_id, action, about, before, after from pabal.audit
  where id >= :first and id < :before order by id desc limit :look) e
where e.unit_id = any(:units::bigint[]) and e.action not like all(:veiled::text[]) order by e.id desc limit :most;

-- name: list_of_units(units, veiled, first, before, most)
-- The newest of each unit, then of all. Written as a range and in the order of its own index, so that no plan walks another one.
with found as materialized (
  select e.id from unnest(:units::bigint[]) as u(id) cross join lateral (
    select a.id from pabal.audit a
    where (a.unit_id, a.id) < (u.id, :before::bigint) and a.unit_id >= u.id and a.id >= :first
      and a.action not like all(:veiled::text[]) order by a.unit_id desc, a.id desc limit :most) e
  order by e.id desc limit :most)
select a.id, a.at, a.actor, a.actor_label, a.origin, a.unit_id, a.action, a.about, a.before, a.after
from found f join pabal.audit a on a.id = f.id order by a.id desc;

-- name: list_of_actions(units, veiled, actions, first, before, most)
-- the same of each action
select e.* from unnest(:actions::text[]) as g(action) cross join lateral (
  select id, at, actor, actor_label, origin, unit_id, action, about, before, after from pabal.audit a
  where (a.action, a.id) < (g.action, :before::bigint) and a.action >= g.action and a.id >= :first
    and (:units::bigint[] is null or a.unit_id = any(:units::bigint[])) and a.action not like all(:veiled::text[]) order by a.action desc, a.id desc limit :most) e
order by e.id desc limit :most;

-- name: list_actions(pattern)
-- a loose index scan: there are few names of actions however many entries
with recursive each as (
  (select action from pabal.audit order by action limit 1)
  union all
  select (select a.action from pabal.audit a where a.action > e.action order by a.action limit 1) from each e where e.action is not null)
select action from each where action like :pattern order by action limit 1000;
