-- $1 terms, $2 kinds, $3 agent, $4 thread, $5 evaluation time, $6 most rows counted for a term
select s.documents, s.average_lengths, s.frequencies
from memory.lexical_statistics($1::text[], $2::text[], $3, $4, $5::timestamptz, $6::integer) s
