-- An end user's own digests of threads, and compressions of one source at more than one length.

set local role mem_owner;

-- Of each thread at most one digest is current.
create unique index summarization_memory_digest
  on memory.summarization_memory (tenant_id, user_id, thread_id, agent_id) nulls not distinct
  where task_type = 'thread_digest' and valid_until is null and deleted_at is null;

-- An end user writes digests and no other summaries; whose they may be, the policies of 005 say.
grant insert, update (valid_until) on memory.summarization_memory to mem_app;
create policy app_inserts_digests on memory.summarization_memory as restrictive for insert to mem_app
  with check (task_type = 'thread_digest' and thread_id is not null and trust = 'derived');
create policy app_retires_digests on memory.summarization_memory as restrictive for update to mem_app
  using (task_type = 'thread_digest');

-- A policy with a smaller slice needs a shorter text of the same source.
drop index memory.context_compression_source;
create unique index context_compression_source
  on memory.context_compression
    (tenant_id, source_type, source_id, source_version, source_hash, model, prompt_version, user_id, tokens)
  nulls not distinct;
