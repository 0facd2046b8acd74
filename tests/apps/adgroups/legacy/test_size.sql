-- name: make_table()!
create table legacy_ad_groups (id bigint, name text, campaign text, start_at timestamptz, end_at timestamptz, ready_at timestamptz,
  ready_confirmed_at timestamptz, daily_start_time time, daily_end_time time);

-- name: fill_table(rows, now)!
insert into legacy_ad_groups
select n, 'ad group ' || n, 'campaign ' || n % 500, s.start_at, s.start_at + interval '40 days', s.start_at - interval '5 days',
  case when n % 5 < 4 then s.start_at - interval '3 days' end, case n % 5 when 2 then time '09:00' end, case n % 5 when 2 then time '18:00' end
from generate_series(1, :rows::int) as n cross join lateral (
  select :now::timestamptz + n % 700 * interval '1 hour' + case n % 5 when 0 then interval '-80 days' when 1 then interval '-35 days'
    when 2 then interval '-35 days' else interval '1 day' end as start_at) s;

-- name: count_timers()
select event, count(*)::int from pabal.timer where machine = 'adgroup' group by event;

-- name: count_beginnings()
select count(*)::int from pabal.transition t join pabal.ad_group g on g.id = t.subject
where t.machine = 'adgroup' and t.version = 1 and t.target = g.state and t.source is null;
