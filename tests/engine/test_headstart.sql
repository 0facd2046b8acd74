-- name: create_notes#
create table note (text text not null);

-- name: note_along(text)
-- a part of a statement: headstart.sql, insert_begun
noted as (insert into note (text) select :text::text from body);

-- name: list_notes()
select text from note;
