-- name: keep_rest(conversation_id, message_id, outputs, keep_until)!
insert into relay.rest (conversation_id, message_id, outputs, keep_until)
values (:conversation_id, :message_id, :outputs, :keep_until)
on conflict (conversation_id) do update set message_id = excluded.message_id, outputs = excluded.outputs, keep_until = excluded.keep_until,
  pressed_event = null, pressed_answer = null;

-- name: hold_rest(conversation_id, now)
select r.outputs, r.pressed_event, r.pressed_answer from relay.rest r
where r.conversation_id = :conversation_id and r.keep_until > :now for no key update;

-- name: note_pressed(conversation_id, outputs, event, answer, keep_until)!
update relay.rest set outputs = :outputs, pressed_event = :event, pressed_answer = :answer, keep_until = :keep_until
where conversation_id = :conversation_id;

-- name: count_kept(message_id, now)
select jsonb_array_length(r.outputs) from relay.rest r where r.message_id = :message_id and r.keep_until > :now;

-- name: drop_of_message(message_id)!
delete from relay.rest where message_id = :message_id;

-- name: drop_of_conversation(conversation_id)!
delete from relay.rest where conversation_id = :conversation_id;

-- name: delete_rests(now)!
delete from relay.rest where keep_until <= :now;
