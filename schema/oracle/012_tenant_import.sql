-- An import of a tenant brings its threads with their next turns; all else it writes an operator may write already.
GRANT INSERT ON mem_owner.thread TO mem_operator
/
