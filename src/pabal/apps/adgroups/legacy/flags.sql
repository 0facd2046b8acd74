-- name: place(ids)!
-- A hundredth is cut from a digest: the same for ever, and raising the percentage only adds.
with house as (
  select coalesce(max(value) filter (where kind = 'percent' and is_on), 0) as percent,
    coalesce(bool_and(is_on) filter (where kind = 'new'), true) as takes_new
  from pabal.state_flag where kind in ('percent', 'new')),
wrong as (
  select g.id, w.source from unnest(:ids::bigint[]) as i(id) cross join house h
  cross join lateral (select g.id, g.campaign_id, g.legacy_id, g.source from pabal.ad_group g where g.id = i.id offset 0) g
  cross join lateral (
    select case when coalesce(
      (select f.is_on from pabal.state_flag f where f.kind = 'id' and f.value = g.id),
      (select f.is_on from pabal.state_flag f where f.kind = 'campaign' and f.value = g.campaign_id),
      (g.legacy_id is null and h.takes_new)
        or ('x' || substr(md5('USE_SSM_STATUS ' || g.id), 1, 8))::bit(32)::bigint % 100 < h.percent)
      then 'machine' else 'calculator' end as source offset 0) w
  where w.source <> g.source)
update pabal.ad_group g set source = w.source from wrong w where g.id = w.id;

-- name: has_any()
select exists (select from pabal.state_flag);

-- name: list_all(after_id, most)
select id from pabal.ad_group where id > :after_id order by id limit :most;

-- name: list_of_campaign(campaign_id, after_id, most)
select id from pabal.ad_group where campaign_id = :campaign_id and id > :after_id order by id limit :most;

-- name: put_flag(kind, value, is_on, unit_id, set_by, set_at)!
insert into pabal.state_flag (kind, value, is_on, unit_id, set_by, set_at) values (:kind, :value, :is_on, :unit_id, :set_by, :set_at)
on conflict (kind, value) do update set is_on = excluded.is_on, set_by = excluded.set_by, set_at = excluded.set_at;

-- name: delete_flag(kind, value)!
delete from pabal.state_flag where kind = :kind and value = :value;

-- name: clear_kind(kind)!
delete from pabal.state_flag where kind = :kind;

-- name: clear_all()!
delete from pabal.state_flag;

-- name: forget(ids)!
delete from pabal.state_flag where kind = 'id' and value = any(:ids::bigint[]);

-- name: list_flags(units)
select kind, value, is_on, unit_id, set_by, set_at from pabal.state_flag
where kind in ('percent', 'new') or :units::bigint[] is null or unit_id = any(:units::bigint[]) order by kind, value;

-- name: count_sources(units)
select source, count(*)::int from pabal.ad_group where :units::bigint[] is null or unit_id = any(:units::bigint[]) group by source;
