// Where the two dialects differ on purpose, each with its reason; the tests beside this file refuse any other difference,
// and a reason for one that is no more.

/** Statements that only PostgreSQL has. */
export const postgresOnly: Readonly<Record<string, string>> = {
  account: 'roles and extensions of PostgreSQL; what an Oracle login may do is session_account',
  administrator_script: 'makes roles and extension; on Oracle principals.sql is run by hand',
  analyze: 'Oracle gathers statistics by itself',
  checkpoint: 'for copies of an embedded directory',
  inspect_as: 'steps down to a role; an Oracle login is its own principal',
  leave_role: 'back from such a role',
  membership: 'who may become a role',
  membership_setting: 'names for a statement that grants a role',
  migration_setting: 'dimensions for the vector columns; on Oracle these take any',
  renew_incarnation: 'for a restored copy of an embedded directory',
};

/** Statements of PostgreSQL that Oracle is to have and has not yet, by what they wait for. */
export const pending: Readonly<Record<string, readonly string[]>> = {
  "waits for 008: the key that seals clients' state": ['sealing_secret'],
  'waits for 009: past reads, AS OF the recorded SCN here': [
    'answers',
    'citations',
    'feedback_on_manifest',
    'gone_refs',
    'history_reaches',
    'manifest_ids',
    'manifest_record',
    'past_chunks',
    'past_compressions',
    'past_entities',
    'past_guidelines',
    'past_links',
    'past_personas',
    'past_provenance',
    'past_summaries',
    'past_tools',
    'past_turns',
    'past_versions',
    'past_workflows',
    'replaced_by',
    'source_heads',
    'uses',
    'versions_now',
  ],
  'waits for 010: erasure and retention': [
    'count_segments',
    'enter_erasure',
    'erase',
    'forget_statistics',
    'missing_sources',
    'remove_old_segments',
    'retain',
    'retain_next',
    'rewrite_statistics',
    'rewrite_tables',
    'switch_segment',
  ],
  'waits for the export of a tenant': [
    'close_exported',
    'export_chunks',
    'export_compressions',
    'export_deletions',
    'export_documents',
    'export_entities',
    'export_events',
    'export_guidelines',
    'export_links',
    'export_personas',
    'export_provenance',
    'export_summaries',
    'export_threads',
    'export_tools',
    'export_workflows',
    'fetch_exported',
    'import_chunks',
    'import_compressions',
    'import_deletions',
    'import_documents',
    'import_entities',
    'import_events',
    'import_guidelines',
    'import_links',
    'import_personas',
    'import_provenance',
    'import_summaries',
    'import_threads',
    'import_tools',
    'import_workflows',
  ],
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
  rerank_inputs: 'a model in the database',
  enter_operator: 'an operator is another login, with a package of its own',
  leave: 'the context outlives a transaction and is cleared by us',
  leave_operator: 'the context outlives a transaction and is cleared by us',
  migration_unlock: 'DDL commits, so the lock is not the transaction’s',
  session_account: 'what an Oracle login may do',
  toolbox_changes: 'asked for now and then, in place of LISTEN',
  vectors_approximate: 'where an approximate index was built',
};

/** Statements whose rows say nothing on PostgreSQL (void, or a setting), and that give none on Oracle. */
export const withoutRows: Readonly<Record<string, string>> = {
  lock_sources: 'a function that gives nothing has to be selected',
  migration_lock: 'a function that gives nothing has to be selected',
};

/** Tables that only PostgreSQL has, by pattern. */
export const postgresTables: readonly (readonly [RegExp, string])[] = [
  [/_history$|^history_/, 'past rows are read AS OF an SCN, from undo or a flashback archive'],
];

/** Tables that only Oracle has. */
export const oracleTables: Readonly<Record<string, string>> = {
  memory_posting: 'terms are rows here, in place of the arrays of memory_term, so that past reads see them',
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
  'known_version.deleted_at': 'as valid_from',
  'known_version.superseded_by': 'as valid_from',
  'known_version.quarantined_at': 'as valid_from',
  'known_version.subject': 'as valid_from',
  'known_version.predicate': 'as valid_from',
  'known_version.conditions': 'as valid_from',
};

/** Columns that only Oracle has. */
export const oracleColumns: Readonly<Record<string, string>> = {
  'schema_version.migration_number': 'NUMBER is reserved',
  'memory_term.title_length': 'in place of lengths',
  'memory_term.date_length': 'in place of lengths',
  'memory_term.body_length': 'in place of lengths',
  'memory_term.context_length': 'in place of lengths',
};

/** Columns that may be NULL on Oracle alone: there, an empty text is NULL. Who reads them takes NULL for empty. */
export const emptyTexts: readonly string[] = ['toolbox_memory.usage_notes', 'workflow_memory.description'];
