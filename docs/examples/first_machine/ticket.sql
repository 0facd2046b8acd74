-- name: load_tickets(ids)
select id, unit_id, state, version, answer, opened_at from desk.ticket where id = any(:ids::bigint[]) order by id;

-- name: insert_ticket()
insert into desk.ticket (state, version, opened_at) values ('open', 1, pabal.now()) returning id;

-- name: write_answer(id, answer)!
update desk.ticket set answer = :answer where id = :id;
