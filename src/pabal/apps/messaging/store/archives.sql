-- name: list_months(zone, until)
-- finished months with deliveries that are not archived; from the oldest delivery, a month at a time
with recursive month as (
  select date_trunc('month', min(scheduled_at) at time zone :zone::text)::date as month from pabal.delivery
  union all
  select (m.month + interval '1 month')::date from month m where (m.month + interval '2 months') at time zone :zone::text <= :until::timestamptz)
select m.month from month m
where (m.month + interval '1 month') at time zone :zone::text <= :until::timestamptz
  and not exists (select from pabal.delivery_archive a where a.month = m.month)
  and exists (
    select from pabal.delivery d where d.scheduled_at >= m.month::timestamp at time zone :zone::text
      and d.scheduled_at < (m.month + interval '1 month') at time zone :zone::text)
order by m.month;

-- name: find_slice(month, zone, after_at, after_id, most)
select d.id, d.scheduled_at from pabal.delivery d
where d.scheduled_at >= :month::date::timestamp at time zone :zone::text
  and d.scheduled_at < (:month::date + interval '1 month') at time zone :zone::text
  and (:after_at::timestamptz is null or (d.scheduled_at, d.id) > (:after_at, :after_id::bigint))
order by d.scheduled_at, d.id limit :most;

-- name: insert_archive(month, file_id, deliveries, made_at)!
insert into pabal.delivery_archive (month, file_id, deliveries, made_at) values (:month, :file_id, :deliveries, :made_at) on conflict do nothing;

-- name: list_archives()
select month, file_id, deliveries, made_at from pabal.delivery_archive order by month;

-- name: delete_old(zone, before, most)
-- only what is in an archive as it is now: never what is under way, nor what came or changed after its month was put away
delete from pabal.delivery where id in (
  select d.id from pabal.delivery d
  where d.scheduled_at < :before::timestamptz and d.state <> 'open'
    and exists (
      select from pabal.delivery_archive a where a.month = date_trunc('month', d.scheduled_at at time zone :zone::text)::date
        and d.created_at < a.made_at and d.ended_at < a.made_at)
  order by d.scheduled_at limit :most)
returning id;
