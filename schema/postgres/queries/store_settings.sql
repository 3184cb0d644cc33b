-- The incarnation is one text: a database restored to an earlier point counts transactions anew on another timeline.
-- binds: none
select
  (select value from memory.store_setting where name = 'incarnation')
    || '/' || (select system_identifier::text from pg_control_system())
    || '/' || (select timeline_id::text from pg_control_checkpoint()) as incarnation,
  (select value from memory.store_setting where name = 'embedder_id') as embedder_id,
  (select value::integer from memory.store_setting where name = 'embedder_dimensions') as embedder_dimensions
