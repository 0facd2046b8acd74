-- name: insert_request(unit_id, name)
insert into desk.request (unit_id, name) values (:unit_id, :name) returning id;

-- name: insert_effects(consumer, events)!
insert into desk.effect (consumer, event) select :consumer, e from unnest(:events::text[]) as e;

-- name: list_names(ids)
-- unit: by id, of approvals that were looked for in sight
select id, name from desk.request where id = any(:ids::bigint[]);
