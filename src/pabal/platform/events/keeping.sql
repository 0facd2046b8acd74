-- name: forget_events(before, batch)
-- the first ones only: their moments are in the order of seq, nearly
with places as (
  select min(f.seq) as seq from pabal.event_place p cross join lateral (
    select u.seq from (
      (select e.seq from pabal.event e where p.upto is not null and e.seq > p.seq and not pg_visible_in_snapshot(e.xid, p.seen)
         and pg_visible_in_snapshot(e.xid, p.upto) and e.slot % p.of = p.share order by e.seq limit 1)
      union all
      select e.seq from pabal.event e where e.xid >= pg_snapshot_xmax(coalesce(p.upto, p.seen)) and e.slot % p.of = p.share
      union all
      select e.seq from pg_snapshot_xip(coalesce(p.upto, p.seen)) as x(xid) join pabal.event e on e.xid = x.xid
      where e.slot % p.of = p.share) u order by u.seq limit 1) f),
gone as (
  delete from pabal.event e using places
  where e.seq = any (array(
    select o.seq from (select seq, at from pabal.event n where not exists (select from pabal.dead_letter d where d.event_seq = n.seq)
      order by seq limit :batch) o where o.at < :before::timestamptz))
    and (places.seq is null or e.seq < places.seq)
  returning e.seq),
done as (
  delete from pabal.event_done d using gone, pabal.event_consumer c where d.consumer = c.name and d.event_seq = gone.seq)
select count(*)::int from gone;

-- name: count_dead()
select consumer, unit_id, count(*) as count from pabal.dead_letter group by consumer, unit_id order by consumer, unit_id;
