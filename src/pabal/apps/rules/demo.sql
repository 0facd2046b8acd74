-- name: find_unit(name)
select u.id from pabal.unit u where u.is_demo and u.name like :name || '%' order by u.id limit 1;

-- name: list_demo_rules()
select r.id from rules.rule r join pabal.unit u on u.id = r.unit_id where u.is_demo order by r.id;

-- name: list_demo_runs()
select n.id from rules.run n join pabal.unit u on u.id = n.unit_id where u.is_demo and n.artifacts <> '[]' order by n.id;

-- name: delete_demo_rules()!
delete from rules.rule r using pabal.unit u where u.id = r.unit_id and u.is_demo;

-- name: list_demo_heartbeats()
select h.id from rules.heartbeat h join pabal.unit u on u.id = h.unit_id where u.is_demo order by h.id;

-- name: delete_demo_plans()
-- unit: the demo's own
delete from rules.plan p using pabal.unit u where p.unit_id = u.id and u.is_demo returning p.id;

-- name: list_demo_cases()
-- unit: the demo's own
select c.id from rules.recall_case c join pabal.unit u on u.id = c.unit_id where u.is_demo order by c.id;
