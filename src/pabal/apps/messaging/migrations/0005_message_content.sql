-- What a delivery keeps of its schedule, named in one place: a new field of the content replaces this function in the migration that adds
-- its column. PostgreSQL puts the body where it is called, so that a send pays nothing for it.
create function pabal.message_content(s pabal.message_schedule) returns jsonb language sql stable as $$
  select jsonb_build_object('text', s.text, 'images_1', s.images_1, 'images_2', s.images_2, 'send_order', s.send_order,
    'send_interval_seconds', s.send_interval_seconds, 'media_wait_1', s.media_wait_1, 'media_wait_2', s.media_wait_2)
$$;
