-- name: find_unit(name)
select u.id from pabal.unit u where u.is_demo and u.name like :name || '%' order by u.id limit 1;

-- name: has_renders()
select exists (select from rendering.render r join pabal.unit u on u.id = r.unit_id where u.is_demo);

-- name: has_open()
select exists (select from rendering.render r join pabal.unit u on u.id = r.unit_id
  where u.is_demo and r.state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading'));

-- name: find_open(composition_id)
select r.id from rendering.render r join pabal.unit u on u.id = r.unit_id
where u.is_demo and r.composition_id = :composition_id and r.state in ('pending', 'preparing', 'rendering', 'encoding', 'uploading')
order by r.id limit 1;

-- name: list_films()
select r.id as render_id, r.output_file_path as path, r.composition_name, coalesce(r.nexrender_job_id, '') as uid
from rendering.render r join pabal.unit u on u.id = r.unit_id where u.is_demo and r.state = 'completed' order by r.id;

-- name: note_film(id, size, sha256)!
update rendering.render set output_size = :size, output_sha256 = :sha256 where id = :id;

-- name: delete_renders()!
delete from rendering.render r using pabal.unit u where u.id = r.unit_id and u.is_demo;

-- name: delete_compositions()!
delete from rendering.composition c using pabal.unit u where u.id = c.unit_id and u.is_demo;

-- name: delete_slots(worker_id)!
delete from rendering.slot where worker_id = :worker_id;
