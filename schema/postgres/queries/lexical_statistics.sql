-- What the definer function counts of the rows that the caller can find; most: rows counted for a term.
-- binds: terms, kinds, agent_id, thread_id, at_time, most
select s.documents, s.average_lengths, s.frequencies
from memory.lexical_statistics($1::text[], $2::text[], $3, $4, $5::timestamptz, $6::integer) s
