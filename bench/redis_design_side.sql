-- name: list_delayed()
select subject, event, due_at from pabal.timer where machine = 'adgroup';

-- name: read_now()$
select pabal.now();

-- name: find_ad_group(id)
select g.id, g.unit_id, g.state, g.version, g.name, g.campaign_id, g.start_at, g.end_at, g.zone, g.dayparts::text, g.moved::text, g.is_held
from pabal.ad_group g where g.id = :id;

-- name: list_creatives(id)
select id, name, url from pabal.creative where ad_group_id = :id;

-- name: list_codes(id)
select i.code from pabal.ad_group_inventory l join pabal.inventory i on i.id = l.inventory_id where l.ad_group_id = :id;

-- name: update_state(id, state, version)!
update pabal.ad_group set state = :state, version = version + 1 where id = :id and version = :version;

-- name: insert_history(id, version, event, source, target, unit_id, at)!
insert into pabal.transition (machine, subject, version, event, source, target, unit_id, actor, reason, at)
values ('adgroup', :id, :version, :event, :source, :target, :unit_id, 'scheduler', 'delayed event', :at);

-- name: insert_event(id, unit_id, target, data, at)!
-- the domain event, which also tells people
insert into pabal.fact (name, subject, unit_id, at, data)
values ('adgroup.' || :target::text, 'adgroup:' || :id::bigint, :unit_id, :at, :data::text::jsonb);
