-- name: mark_parts(deliveries, numbers, tokens, states, now)
-- Each only from where it may come; one that is there already, by the same attempt, is an answer that got lost.
update pabal.delivery_part p set state = g.state, token = g.token,
  began_at = case g.state when 'writing' then :now::timestamptz when 'planned' then null else p.began_at end,
  written_at = case g.state when 'written' then :now::timestamptz end
from unnest(:deliveries::bigint[], :numbers::smallint[], :tokens::bigint[], :states::text[]) as g(delivery_id, no, token, state)
where p.delivery_id = g.delivery_id and p.no = g.no
  and ((p.state = 'planned' and g.state = 'writing') or (p.token = g.token and p.state in ('writing', g.state)))
returning p.delivery_id, p.no;

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
