-- name: append(machine, subjects, versions, events, sources, targets, units, actor, reason, cause, at, datas)
-- History and facts in one statement: every transition has both. Facts are named and numbered as facts.sql has them.
with history as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
  select :machine::text, h.subject, h.version, h.event, h.source, h.target, h.unit_id,
    :actor::text, :reason::text, :cause::text, :at::timestamptz
  from unnest(:subjects::bigint[], :versions::bigint[], :events::text[], :sources::text[], :targets::text[], :units::bigint[])
    as h(subject, version, event, source, target, unit_id)
  on conflict do nothing returning 1),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select :machine::text || '.' || f.target, :machine::text || ':' || f.subject, f.unit_id, :at::timestamptz, f.data::jsonb
  from unnest(:subjects::bigint[], :targets::text[], :units::bigint[], :datas::text[]) as f(subject, target, unit_id, data))
select null::bigint as moved, count(*) as appended from history;

-- name: move(machine, subjects, versions, events, sources, targets, units, actor, reason, cause, at, datas)
-- The state, if each still has the version before this one, and `append`, in one statement: a move is one round trip. Whoever finds
-- fewer moved than it gave takes everything back. Locked by this transaction, so a subject's place is sure (why a lateral: see claims.sql).
with moved as (
  update subject_table s set state = f.target, version = f.version
  from (
    select s.place, m.target, m.version
    from unnest(:subjects::bigint[], :targets::text[], :versions::bigint[]) as m(subject, target, version) cross join lateral (
      select s.ctid as place from subject_table s where s.id = m.subject and s.version = m.version - 1 offset 0) s) f
  where s.ctid = f.place returning 1),
history as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
  select :machine::text, h.subject, h.version, h.event, h.source, h.target, h.unit_id,
    :actor::text, :reason::text, :cause::text, :at::timestamptz
  from unnest(:subjects::bigint[], :versions::bigint[], :events::text[], :sources::text[], :targets::text[], :units::bigint[])
    as h(subject, version, event, source, target, unit_id)
  on conflict do nothing returning 1),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select :machine::text || '.' || f.target, :machine::text || ':' || f.subject, f.unit_id, :at::timestamptz, f.data::jsonb
  from unnest(:subjects::bigint[], :targets::text[], :units::bigint[], :datas::text[]) as f(subject, target, unit_id, data))
select (select count(*) from moved) as moved, (select count(*) from history) as appended;

-- name: move_noting(machine, subjects, versions, events, sources, targets, units, actor, reason, cause, at, datas)
-- `move`, and in the same update what the table's owner notes: a row is written anew once, not twice. `f.number` is its place in the arrays.
with moved as (
  update subject_table s set state = f.target, version = f.version, subject_own
  from (
    select s.place, m.target, m.version, m.number
    from unnest(:subjects::bigint[], :targets::text[], :versions::bigint[]) with ordinality as m(subject, target, version, number)
    cross join lateral (
      select s.ctid as place from subject_table s where s.id = m.subject and s.version = m.version - 1 offset 0) s) f
  where s.ctid = f.place returning 1),
history as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
  select :machine::text, h.subject, h.version, h.event, h.source, h.target, h.unit_id,
    :actor::text, :reason::text, :cause::text, :at::timestamptz
  from unnest(:subjects::bigint[], :versions::bigint[], :events::text[], :sources::text[], :targets::text[], :units::bigint[])
    as h(subject, version, event, source, target, unit_id)
  on conflict do nothing returning 1),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select :machine::text || '.' || f.target, :machine::text || ':' || f.subject, f.unit_id, :at::timestamptz, f.data::jsonb
  from unnest(:subjects::bigint[], :targets::text[], :units::bigint[], :datas::text[]) as f(subject, target, unit_id, data))
select (select count(*) from moved) as moved, (select count(*) from history) as appended;

-- name: move_picked(machine, event, source, target, actor, reason, cause, data)
-- `move` of rows that the owner picks and locks in the same statement (`picked`: id, unit_id, and what it wants to know): a move that is a
-- transaction of its own. By id, not by place: one that changed before it was locked stands elsewhere; and by nothing but its id (`is true`),
-- for an index that begins with the state would be walked by a plan that was made while the table was empty.
with subject_picked,
moved as (
  update subject_table s set state = :target::text, version = s.version + 1, subject_own
  from picked p where s.id = p.id and (s.state = :source::text) is true
  returning s.version as moved_version, p.*),
history as (
  insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, cause, at)
  select :machine::text, m.id, m.moved_version, :event::text, :source::text, :target::text, m.unit_id,
    :actor::text, :reason::text, :cause::text, pabal.now() from moved m),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select :machine::text || '.' || :target::text, :machine::text || ':' || m.id, m.unit_id, pabal.now(),
    :data::text::jsonb || jsonb_build_object('version', m.moved_version) from moved m)
select * from moved order by id;

-- name: begin_inserted(machine, event, target, actor, reason, cause, at, data)
-- What the owner inserts (`begun`: id, unit_id and more; one or none), its first history row and fact, as `append` has them.
with subject_own,
history as (
  insert into pabal.transition (machine, subject, version, event, target, unit_id, actor, reason, cause, at)
  select :machine::text, b.id, 1, :event::text, :target::text, b.unit_id, :actor::text, :reason::text, :cause::text, coalesce(:at::timestamptz, pabal.now())
  from begun b),
told as (
  insert into pabal.fact (name, subject, unit_id, at, data)
  select :machine::text || '.' || :target::text, :machine::text || ':' || b.id, b.unit_id, coalesce(:at::timestamptz, pabal.now()), :data::text::jsonb
  from begun b)
select * from begun;

-- name: history(machine, subject)
select machine, subject, version, event, source, target, unit_id, actor, reason, cause, at from pabal.transition
where machine = :machine and subject = :subject order by version;

-- name: state_at(machine, subject, moment)
select target from pabal.transition
where machine = :machine and subject = :subject and at <= :moment order by version desc limit 1;
