-- name: mark_parts(jobs, tokens, queues, epochs, deliveries, numbers, states)
-- Fenced and written in one statement, which is a commit of its own: bytes wait for it. Each part only from where it may come; one that
-- is there already, by the same attempt, is an answer that got lost. That nothing was begun may be said without the route: whoever
-- comes next must know it.
with held as materialized (select * from pabal.hold(:jobs::bigint[], :tokens::bigint[], :queues::text[])),
given as materialized (
  select g.*, h.id is not null as is_held, g.epoch is null or h.epoch is not distinct from g.epoch as has_route
  from unnest(:jobs::bigint[], :tokens::bigint[], :epochs::bigint[], :deliveries::bigint[], :numbers::smallint[], :states::text[])
    with ordinality as g(job, token, epoch, delivery_id, no, state, n)
  left join held h on h.id = g.job and h.token = g.token),
marked as (
  update pabal.delivery_part p set state = g.state, token = g.token,
    began_at = case g.state when 'writing' then pabal.now() when 'planned' then null else p.began_at end,
    written_at = case g.state when 'written' then pabal.now() end
  from given g
  where p.delivery_id = any(:deliveries::bigint[]) and p.delivery_id = g.delivery_id and p.no = g.no
    and g.is_held and (g.has_route or g.state = 'planned')
    and ((p.state = 'planned' and g.state = 'writing') or (p.token = g.token and p.state in ('writing', g.state)))
  returning p.delivery_id, p.no)
select g.is_held, g.has_route, exists (select from marked m where m.delivery_id = g.delivery_id and m.no = g.no) as stands
from given g order by g.n;

-- name: settle_writing(delivery_id, state, resent)!
-- what an attempt before this one left in the middle: nobody knows whether it arrived
update pabal.delivery_part set state = :state, resent = resent + :resent::smallint
where delivery_id = :delivery_id and state = 'writing';

-- name: plan_unknown(delivery_id)!
update pabal.delivery_part set state = 'planned', resent = resent + 1 where delivery_id = :delivery_id and state = 'unknown';

-- name: list_parts(deliveries)
select p.delivery_id, p.no, p.component, p.from_image, p.to_image, p.state, p.token, p.began_at, p.written_at, p.resent
from pabal.delivery_part p where p.delivery_id = any(:deliveries::bigint[]) order by p.delivery_id, p.no;

-- name: delete_parts(deliveries)!
delete from pabal.delivery_part where delivery_id = any(:deliveries::bigint[]);

-- name: insert_parts(deliveries, numbers, components, firsts, lasts)
insert into pabal.delivery_part (delivery_id, no, component, from_image, to_image, state)
select g.delivery_id, g.no, g.component, g.first_image, g.last_image, 'planned'
from unnest(:deliveries::bigint[], :numbers::smallint[], :components::text[], :firsts::smallint[], :lasts::smallint[])
  as g(delivery_id, no, component, first_image, last_image)
returning delivery_id, no, component, from_image, to_image, state, token, began_at, written_at, resent;
