// Where the two dialects differ on purpose, each with its reason; the tests beside this file refuse any other difference,
// and a reason for one that is no more.

/** Statements that only PostgreSQL has. */
export const postgresOnly: Readonly<Record<string, string>> = {
  account: 'roles and extensions of PostgreSQL; what an Oracle login may do is session_account',
  administrator_script: 'makes roles and extension; on Oracle principals.sql is run by hand',
  analyze: 'Oracle gathers statistics by itself',
  checkpoint: 'for copies of an embedded directory',
  close_exported: 'an export is read from a cursor of SQL there, from the driver’s own here',
  count_segments: 'files of an embedded directory; an Oracle server’s are its own',
  fetch_exported: 'an export is read from a cursor of SQL there, from the driver’s own here',
  forget_statistics: 'files of an embedded directory; an Oracle server’s are its own',
  index_by_ref: 'what searches read is kept in a process that alone writes the database: an embedded one',
  index_change: 'what searches read is kept in a process that alone writes the database: an embedded one',
  index_changes_since: 'what searches read is kept in a process that alone writes the database: an embedded one',
  index_page: 'what searches read is kept in a process that alone writes the database: an embedded one',
  inspect_as: 'steps down to a role; an Oracle login is its own principal',
  leave_role: 'back from such a role',
  log_length: 'the write-ahead log of an embedded directory; an Oracle server keeps its own',
  membership: 'who may become a role',
  membership_setting: 'names for a statement that grants a role',
  migration_setting: 'dimensions for the vector columns; on Oracle these take any',
  renew_incarnation: 'for a restored copy of an embedded directory',
  rewrite_statistics: 'files of an embedded directory; an Oracle server’s are its own',
  rewrite_tables: 'files of an embedded directory; an Oracle server’s are its own',
  switch_segment: 'files of an embedded directory; an Oracle server’s are its own',
  vectors_by_ref: 'what searches read is kept in a process that alone writes the database: an embedded one',
};

/** Statements that only Oracle has. */
export const oracleOnly: Readonly<Record<string, string>> = {
  chunks_by_ref_now: 'a write reads its own rows, which a read AS OF an SCN does not see',
  compressions_now: 'a write reads its own rows, which a read AS OF an SCN does not see',
  entities_by_ref_now: 'a write reads its own rows, which a read AS OF an SCN does not see',
  summaries_by_ref_now: 'a write reads its own rows, which a read AS OF an SCN does not see',
  turns_by_ref_now: 'a write reads its own rows, which a read AS OF an SCN does not see',
  workflows_by_ref_now: 'a write reads its own rows, which a read AS OF an SCN does not see',
  embed: 'a model in the database',
  rerank: 'a model in the database',
  database_models: 'models in the database',
  vector_indexes: 'where an approximate index was built',
  enter_operator: 'an operator is another login, with a package of its own',
  enter_operator_read: 'an operator is another login, with a package of its own',
  leave: 'the context outlives a transaction and is cleared by us',
  leave_operator: 'the context outlives a transaction and is cleared by us',
  migration_unlock: 'DDL commits, so the lock is not the transaction’s',
  invalid_programs: 'for doctor: what an installation of Oracle has',
  prerequisites: 'for doctor: what an installation of Oracle has',
  session_account: 'what an Oracle login may do',
  unguarded_tables: 'for doctor: what an installation of Oracle has',
  toolbox_changes: 'asked for now and then, in place of LISTEN',
  vectors_approximate: 'where an approximate index was built',
};

/** Statements whose rows say nothing on PostgreSQL, and that give none on Oracle. */
export const withoutRows: Readonly<Record<string, string>> = {
  enter_erasure: 'settings; how long it may take is a matter of the driver here',
};

/** Tables that only PostgreSQL has, by pattern. */
export const postgresTables: readonly (readonly [RegExp, string])[] = [
  [/_history$/, 'past rows are read AS OF an SCN, from undo or a flashback archive'],
];

/** Tables that only Oracle has. */
export const oracleTables: Readonly<Record<string, string>> = {
  erasure_ref: 'what one erasure has found, in place of arrays',
  index_tenant: 'row security holds for owners too: no function sees all tenants’ memories',
  memory_posting: 'terms are rows here, in place of the arrays of memory_term, so that past reads see them',
  retention_turn: 'row security holds for owners too: no function sees all tenants’ policies',
  store_secret: 'row security holds for owners too: a hidden row would be hidden from the function',
  toolbox_change: 'in place of NOTIFY',
};

/** Columns that only PostgreSQL has: `*` stands for every table. */
export const postgresColumns: Readonly<Record<string, string>> = {
  '*.xid': 'the writing transaction, for past reads from history',
  'schema_version.number': 'NUMBER is reserved: migration_number',
  'memory_term.terms': 'rows of memory_posting',
  'memory_term.frequencies': 'rows of memory_posting',
  'memory_term.lengths': 'four columns',
  'known_version.valid_from': 'versions.sql reads the tables AS OF itself; the view serves writes, which need the user',
  'known_version.valid_until': 'as valid_from',
  'known_version.created_at': 'as valid_from',
  'known_version.superseded_by': 'as valid_from',
  'known_version.quarantined_at': 'as valid_from',
  'known_version.subject': 'as valid_from',
  'known_version.predicate': 'as valid_from',
  'known_version.conditions': 'as valid_from',
};

/** Columns that only Oracle has. */
export const oracleColumns: Readonly<Record<string, string>> = {
  'history_mark.scn': 'in place of xid',
  'schema_version.migration_number': 'NUMBER is reserved',
  'memory_term.title_length': 'in place of lengths',
  'memory_term.date_length': 'in place of lengths',
  'memory_term.body_length': 'in place of lengths',
  'memory_term.context_length': 'in place of lengths',
};

/** Columns that may be NULL on Oracle alone: there, an empty text is NULL. Who reads them takes NULL for empty. */
export const emptyTexts: readonly string[] = ['toolbox_memory.usage_notes', 'workflow_memory.description'];
