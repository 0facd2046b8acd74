-- name: list_handled()
select r.channel_id, p.component from pabal.delivery_part p join pabal.delivery d on d.id = p.delivery_id join pabal.room r on r.id = d.room_id
where p.handled_at is not null;

-- name: count_parts()
select case when p.handled_at is not null then 'handled' else p.state end as state, count(*)::int as count
from pabal.delivery_part p group by 1;
