-- name: fill_decided(unit_id, count, campaigns)!
-- a year of them, one in five rejected, each with its beginning and its end
with made as (
  insert into pabal.approval (unit_id, kind, state, version, machine, subject, alike, requested_by, opened_at)
  select :unit_id, 'adgroups.ready', case when n % 5 = 0 then 'rejected' else 'approved' end, 2, 'adgroup', n,
    'campaign:' || (:campaigns::bigint[])[1 + n % cardinality(:campaigns::bigint[])], 'user:2',
    pabal.now() - (:count::int - n) * (interval '365 days' / :count::int)
  from generate_series(1, :count::int) n returning id, unit_id, state, opened_at)
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, at)
select 'approval', m.id, v.version, case when v.version = 1 then 'begin' when m.state = 'approved' then 'approve' else 'reject' end,
  case when v.version = 2 then 'open' end, case when v.version = 1 then 'open' else m.state end, m.unit_id,
  case when v.version = 1 then 'engine' else 'user:' || (1 + m.id % 9) end, null, m.opened_at + v.version * interval '1 minute'
from made m cross join (values (1), (2)) as v(version);

-- name: point_decided()!
-- at ad groups that there are
update pabal.approval a set subject = g.id from (select id, row_number() over () as n, count(*) over () as all_ from pabal.ad_group) g
where a.state <> 'open' and g.n = 1 + a.subject % g.all_;

-- name: find_unit()
select id from pabal.unit where name = 'Bench';
