-- name: insert_rules(unit_id, count)!
-- alike but for their number; what a person makes in a form
insert into rules.rule (unit_id, name, schedule, zone, payload, source, condition, on_success, created_by)
select :unit_id, 'rule ' || n, '0 0 1 1 *', 'Asia/Seoul', jsonb_build_object('ticker', 'T' || n, 'price', n, 'target', 5000), 'offline_quote',
  '{"path": "price", "op": ">=", "value_from": "target"}', '[{"type": "log", "config": {}, "when": "condition"}]', 'bench'
from generate_series(1, :count::int) n;

-- name: insert_timetables(kind, due_at, seconds)!
-- as actions.timetables writes them, over so many seconds from the moment on
insert into pabal.schedule (name, kind, args, about, unit_id, priority, recurrence, zone, misfire, overlap, dst_gap, dst_fold, next_at, created_at)
select r.name, :kind::text, jsonb_build_object('rule', r.id), 'rule:' || r.id, r.unit_id, 2, jsonb_build_object('form', 'cron', 'expression', r.schedule),
  r.zone, 'latest', 'skip', 'shift', 'first', :due_at::timestamptz + (row_number() over (order by r.id) % :seconds::int) * interval '1 second', pabal.now()
from rules.rule r;

-- name: link_timetables()!
update rules.rule r set timetable_id = s.id from pabal.schedule s where s.about = 'rule:' || r.id;

-- name: begin_rules()!
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, at)
select 'rule', r.id, 1, 'begin', null, 'active', r.unit_id, 'bench', pabal.now() from rules.rule r;

-- name: list_lateness()
-- until the run began and until it had its end, in milliseconds
select extract(epoch from n.executed_at - n.scheduled_at)::float8 * 1000 as began_ms,
  extract(epoch from n.finished_at - n.scheduled_at)::float8 * 1000 as ended_ms, n.state
from rules.run n where n.finished_at is not null;

-- name: count_open(count)
select :count::int - count(*)::int from rules.run where state <> 'running';

-- name: read_now()
select pabal.now();
