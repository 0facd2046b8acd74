-- name: insert_bulk(noun, verb, said, actor, lang, request, total, undoes, now)
insert into pabal.bulk (noun, verb, said, actor, lang, request, total, undoes, made_at)
values (:noun, :verb, :said, :actor, :lang, :request, :total, :undoes, :now::timestamptz)
on conflict do nothing returning id;

-- name: find_request(actor, request)
select id from pabal.bulk where actor = :actor and request = :request;

-- name: insert_rows(bulk_id, keys)!
insert into pabal.bulk_row (bulk_id, place, key)
select :bulk_id, n.place, n.key from unnest(:keys::text[]) with ordinality as n(key, place);

-- name: find_bulk(id)
select b.id, b.noun, b.verb, b.said, b.actor, b.lang, b.total, b.done, b.refused, b.undoes,
  (select u.id from pabal.bulk u where u.undoes = b.id) as undone_by, b.made_at, b.ended_at
from pabal.bulk b where b.id = :id;

-- name: list_bulks(actor, before, most)
-- actor null: the command line sees everybody's
select b.id, b.noun, b.verb, b.said, b.actor, b.lang, b.total, b.done, b.refused, b.undoes,
  (select u.id from pabal.bulk u where u.undoes = b.id) as undone_by, b.made_at, b.ended_at
from pabal.bulk b where (:actor::text is null or b.actor = :actor) and b.id < :before order by b.id desc limit :most;

-- name: list_rows(bulk_id)
select bulk_id, place, key, result, title, code, why from pabal.bulk_row where bulk_id = :bulk_id order by place;

-- name: take_rows(bulk_id, most)
-- a command and the servers may be at one bulk together
select bulk_id, place, key, result, title, code, why from pabal.bulk_row
where bulk_id = :bulk_id and result is null order by place limit :most for update skip locked;

-- name: end_rows(bulk_id, places, results, titles, codes, whys)!
update pabal.bulk_row r set result = n.result, title = n.title, code = n.code, why = n.why
from unnest(:places::int[], :results::text[], :titles::text[], :codes::text[], :whys::text[]) as n(place, result, title, code, why)
where r.bulk_id = :bulk_id and r.place = n.place;

-- name: count_ended(bulk_id, done, refused, now)
update pabal.bulk set done = done + :done, refused = refused + :refused,
  ended_at = case when done + refused + :done + :refused = total then :now::timestamptz end
where id = :bulk_id returning ended_at;

-- name: list_done(bulk_id)
select key from pabal.bulk_row where bulk_id = :bulk_id and result = 'done' order by place desc;

-- name: refuse_rest(bulk_id, code, why)
update pabal.bulk_row set result = 'refused', code = :code, why = :why where bulk_id = :bulk_id and result is null returning place;

-- name: delete_old(before)!
delete from pabal.bulk where ended_at < :before::timestamptz;
