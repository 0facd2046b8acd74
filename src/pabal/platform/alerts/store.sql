-- name: find_open(units, most)
select id from pabal.alert where state <> 'resolved' and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by case state when 'firing' then 0 when 'acknowledged' then 1 else 2 end, level = 'attention', id desc limit :most;

-- name: find_alerts(units, is_open, state, rule, before, most)
select id from pabal.alert
where id < :before and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
  and (:is_open::boolean is null or (state <> 'resolved') = :is_open) and (:state::text is null or state = :state)
  and (:rule::text is null or rule = :rule)
order by id desc limit :most;

-- name: count_open(units)
select count(*) filter (where state = 'firing')::int as firing, count(*) filter (where state = 'acknowledged')::int as acknowledged,
       count(*) filter (where state = 'silenced')::int as silenced
from pabal.alert where state <> 'resolved' and (:units::bigint[] is null or unit_id = any(:units::bigint[]));

-- name: list_last(rules, units)
select r.rule, a.fired_at, o.firing, o.acknowledged, o.silenced
from unnest(:rules::text[]) as r(rule)
cross join lateral (
  select a.fired_at from pabal.alert a where a.rule = r.rule and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))
  order by a.id desc limit 1) a
cross join lateral (
  select count(*) filter (where a.state = 'firing')::int as firing, count(*) filter (where a.state = 'acknowledged')::int as acknowledged,
         count(*) filter (where a.state = 'silenced')::int as silenced
  from pabal.alert a where a.rule = r.rule and a.state <> 'resolved' and (:units::bigint[] is null or a.unit_id = any(:units::bigint[]))) o;

-- name: list_rule_silences(now)
select rule, until, note, by_name, by_label, at from pabal.rule_silence where until > :now::timestamptz order by rule;

-- name: put_rule_silence(rule, until, note, by_name, by_label, at)!
insert into pabal.rule_silence (rule, until, note, by_name, by_label, at) values (:rule, :until, :note, :by_name, :by_label, :at)
on conflict (rule) do update
set until = excluded.until, note = excluded.note, by_name = excluded.by_name, by_label = excluded.by_label, at = excluded.at;

-- name: delete_rule_silence(rule)!
delete from pabal.rule_silence where rule = :rule;

-- name: lock_evaluation()
select pg_try_advisory_xact_lock(hashtextextended('pabal.alerts evaluation', 0));

-- name: list_stretches(measures, spans, now)
select s.measure, s.about, s.unit_id, m.ats, m.values
from unnest(:measures::text[], :spans::interval[]) as w(measure, span)
cross join lateral (select s.* from pabal.series s where s.measure = w.measure and s.last_at >= :now::timestamptz - w.span offset 0) s
cross join lateral (
  select array_agg(m.at order by m.at) as ats, array_agg(m.value order by m.at) as values from (
    select m.at, m.value from pabal.sample m where m.series = s.id and m.at >= :now::timestamptz - w.span and m.at <= :now::timestamptz) m) m
where m.ats is not null order by s.measure, s.about;

-- name: insert_alerts(rules, abouts, units, levels, values, thresholds, sinces, seen_ats, now)
insert into pabal.alert (rule, about, unit_id, level, value, worst, threshold, since, seen_at, fired_at)
select g.rule, g.about, g.unit_id, g.level, g.value, g.value, g.threshold, g.since, g.seen_at, :now::timestamptz
from unnest(:rules::text[], :abouts::text[], :units::bigint[], :levels::text[], :values::float8[], :thresholds::float8[],
            :sinces::timestamptz[], :seen_ats::timestamptz[]) as g(rule, about, unit_id, level, value, threshold, since, seen_at)
where g.unit_id is null or exists (select from pabal.unit u where u.id = g.unit_id)
on conflict (rule, about) where state <> 'resolved' do nothing
returning id;

-- name: note_looks(ids, values, worsts, seen_ats)!
update pabal.alert a set value = g.value, worst = g.worst, seen_at = g.seen_at
from unnest(:ids::bigint[], :values::float8[], :worsts::float8[], :seen_ats::timestamptz[]) as g(id, value, worst, seen_at)
where a.id = g.id and a.seen_at < g.seen_at;

-- name: note_told(ids, now)!
update pabal.alert set told_at = :now where id = any(:ids::bigint[]);

-- name: note_resolved(ids, now)!
update pabal.alert set resolved_at = :now where id = any(:ids::bigint[]);

-- name: set_silence(ids, until)!
update pabal.alert set silenced_until = :until, told_at = null where id = any(:ids::bigint[]);

-- name: find_untold(told_before)
select id from pabal.alert where state = 'firing' and state <> 'resolved' and (told_at is null or told_at <= :told_before::timestamptz)
order by id;

-- name: find_open_of(rule)
select id from pabal.alert where rule = :rule and state <> 'resolved' order by id;

-- name: find_sampled_since()
select since from pabal.sampling where place = '';
