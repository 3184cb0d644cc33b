-- Brings what is in memory to the files, so that a copy of them opens without a long look back
-- binds: none
checkpoint
