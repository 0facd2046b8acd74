-- name: list_compositions(units, q, after, most)
select c.id, c.unit_id, c.name, c.template_src, c.output_module, c.output_ext, c.width, c.height, c.codec, c.duration_seconds, c.duration_tolerance,
  c.flag_path_template, c.text_limits, c.updated_at,
  (select count(*) from rendering.field_mapping m where m.composition_id = c.id)::int as fields
from rendering.composition c
where c.id > :after and (:units::bigint[] is null or c.unit_id = any(:units::bigint[]))
  and (:q::text is null or strpos(lower(c.name), lower(:q)) > 0 or strpos(lower(c.id), lower(:q)) > 0)
order by c.id limit :most;

-- name: find_composition(id)
select c.id, c.unit_id, c.name, c.template_src, c.output_module, c.output_ext, c.width, c.height, c.codec, c.duration_seconds, c.duration_tolerance,
  c.flag_path_template, c.text_limits, c.updated_at,
  (select count(*) from rendering.field_mapping m where m.composition_id = c.id)::int as fields
from rendering.composition c where c.id = :id;

-- name: hold_composition(id)
select unit_id from rendering.composition where id = :id for no key update;

-- name: find_named(name, units)
select id from rendering.composition where (id = :name or name = :name) and (:units::bigint[] is null or unit_id = any(:units::bigint[]))
order by (id = :name) desc, id limit 5;

-- name: put_composition(id, unit_id, name, template_src, output_module, output_ext, width, height, codec, duration_seconds, duration_tolerance, flag_path_template, text_limits, now)
insert into rendering.composition (id, unit_id, name, template_src, output_module, output_ext, width, height, codec, duration_seconds, duration_tolerance,
  flag_path_template, text_limits, created_at, updated_at)
values (:id, :unit_id, :name, :template_src, :output_module, :output_ext, :width, :height, :codec, :duration_seconds, :duration_tolerance,
  :flag_path_template, :text_limits, :now, :now)
on conflict (id) do update set name = excluded.name, template_src = excluded.template_src, output_module = excluded.output_module,
  output_ext = excluded.output_ext, width = excluded.width, height = excluded.height, codec = excluded.codec,
  duration_seconds = excluded.duration_seconds, duration_tolerance = excluded.duration_tolerance,
  flag_path_template = excluded.flag_path_template, text_limits = excluded.text_limits, updated_at = excluded.updated_at
where rendering.composition.unit_id = excluded.unit_id
returning id;

-- name: delete_composition(id)!
delete from rendering.composition where id = :id;

-- name: list_mappings(composition_ids)
select composition_id, field_name, layer_name, kind, property from rendering.field_mapping
where composition_id = any(:composition_ids::text[]) order by composition_id, field_name;

-- name: put_mappings(composition_id, field_names, layer_names, kinds, properties)!
insert into rendering.field_mapping (composition_id, field_name, layer_name, kind, property)
select :composition_id, f, l, k, p from unnest(:field_names::text[], :layer_names::text[], :kinds::text[], :properties::text[]) as t (f, l, k, p)
on conflict (composition_id, field_name) do update set layer_name = excluded.layer_name, kind = excluded.kind, property = excluded.property;

-- name: delete_mappings(composition_id, keep)!
delete from rendering.field_mapping where composition_id = :composition_id and field_name <> all(:keep::text[]);
