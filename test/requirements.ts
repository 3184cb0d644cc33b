// The requirements of the design as data: a test names the id that it verifies, test/coverage.test.ts does the counting.

/** One requirement: its id, the issue that brings it, where the design states it, and what it asks in short. */
export type Requirement = {
  readonly id: string;
  readonly issue: number;
  readonly source: string;
  readonly text: string;
};

/** Every id of the design, in the design's order of chapters. */
export const requirements = [
  // Data
  {
    id: 'D1',
    issue: 3,
    source: 'design 2, tables',
    text: 'For every key at most one row is active at a time, and a unique index of the database, not the program, sees to it.',
  },
  {
    id: 'D2',
    issue: 3,
    source: 'design 2, tables',
    text: 'A versioned update closes the old row and adds the next version with its vector and index entry in one transaction; of two updates at once exactly one succeeds.',
  },
  {
    id: 'D3',
    issue: 8,
    source: 'design 2, tables',
    text: 'Embeddings, index entries and compressions are derived: one command drops them all and builds them again from the canonical rows.',
  },
  {
    id: 'D4',
    issue: 6,
    source: 'design 2, tables',
    text: 'Each lasting derived row records where it came from, and deleting a source reaches every row derived from it.',
  },
  {
    id: 'D5',
    issue: 3,
    source: 'design 2, tables',
    text: 'The database itself numbers the turns of a (tenant, user, agent, thread) within the write, so writers at the same time neither collide nor leave a gap.',
  },
  {
    id: 'D6',
    issue: 3,
    source: 'design 2, tables',
    text: 'The store remembers id and dimensions of the embedder of its vectors; another one is refused, and the refusal names the command that re-embeds.',
  },
  {
    id: 'D7',
    issue: 3,
    source: 'design 2, tables',
    text: 'Seeded and imported rows are validated before the first write: a bad file changes nothing and is answered with row and field.',
  },
  {
    id: 'D8',
    issue: 3,
    source: 'design 2, tables',
    text: 'Text is made well-formed on write (lone surrogates replaced, NUL refused by field); credentials are refused in rows that could reach a window, naming the rule but not the value.',
  },

  // Window layout
  {
    id: 'A1',
    issue: 3,
    source: 'design 3, window layout',
    text: 'The static prefix keeps the same bytes for a scope until one of its rows changes: ordered, canonical, narrowest row per key, without dates, versions or row ids, and without configuration guidelines.',
  },
  {
    id: 'A2',
    issue: 3,
    source: 'design 3, window layout',
    text: 'The developer message carries guidelines, persona and a Memory section on how to treat quoted memory; the user message carries the memory block and then the question.',
  },
  {
    id: 'A3',
    issue: 3,
    source: 'design 3, window layout',
    text: 'A memory renders as one element with id, type, status, annotations and escaped content that hostile text cannot break out of and from which the text can be decoded exactly.',
  },
  {
    id: 'A4',
    issue: 3,
    source: 'design 3, window layout',
    text: 'A citation id is B and ten hex digits of the hash of type, row id and version: the same in every window, and on a collision the lower-ranked memory stays out.',
  },
  {
    id: 'A5',
    issue: 3,
    source: 'design 3, window layout',
    text: 'Each type has a fixed rendering at each tier: a workflow its steps, a summary with or without key steps and outcome, a pointer its title, id and opening characters with a word that expand fetches the rest.',
  },

  // Budget
  {
    id: 'B1',
    issue: 3,
    source: 'design 3, budget',
    text: 'What may be filled is the usable context less the reserves for output, tools and overhead.',
  },
  {
    id: 'B2',
    issue: 3,
    source: 'design 3, budget',
    text: 'Fixed slices and the question are charged whole and never cut; when they do not fit, slice_overflow names the slice with tokens needed and left.',
  },
  {
    id: 'B3',
    issue: 3,
    source: 'design 3, budget',
    text: 'The remainder is split by the shares of the intent with floors, the rest of the rounding going to the first slice of the overflow order; an intent without shares falls back as stated or fails.',
  },
  {
    id: 'B4',
    issue: 3,
    source: 'design 3, budget',
    text: 'Slices are fitted in overflow order and pass on what they leave; a slice whose share is 0 takes none of it.',
  },
  {
    id: 'B5',
    issue: 3,
    source: 'design 3, budget',
    text: 'Required current facts are charged first, at full size, to the share of durable_facts alone; when they do not fit the window is refused, or with drop_history the stale history is left out worst first.',
  },
  {
    id: 'B6',
    issue: 3,
    source: 'design 3, budget',
    text: 'The finished request is counted as a whole; if it is over the limit, optional memories leave from the end of the overflow order, required facts never, and only then the request is refused.',
  },
  {
    id: 'B7',
    issue: 3,
    source: 'design 3, budget',
    text: 'A caller can only lower what the policy allows, and every token of the usable context is accounted for.',
  },

  // Selection
  {
    id: 'S1',
    issue: 3,
    source: 'design 3, selection 1',
    text: 'Scope is asserted, then lifecycle decided at one evaluation time: deleted, not yet effective, superseded, expired; quarantined rows are out; what a caller named in a tool is admitted as history.',
  },
  {
    id: 'S2',
    issue: 3,
    source: 'design 3, selection 2',
    text: 'Equal normalised texts whose claim identities agree are one memory; the most authoritative copy stays and the record names it.',
  },
  {
    id: 'S3',
    issue: 3,
    source: 'design 3, selection 3',
    text: 'One current fact per claim identity survives; contradicting memories point at each other; history that rests on a version no longer current is annotated with the current fact, which it then requires.',
  },
  {
    id: 'S4',
    issue: 3,
    source: 'design 3, selection 4',
    text: 'Priority is the weighted sum of rerank probability, confidence and recency, rounded to six decimals, and its parts are recorded so that replay needs no reranker.',
  },
  {
    id: 'S5',
    issue: 3,
    source: 'design 3, selection 5',
    text: 'Order is by priority, then valid_from, both descending, then source table and row id.',
  },
  {
    id: 'S6',
    issue: 3,
    source: 'design 3, selection, diversity',
    text: 'Evidence is diversified: a cap per document, near-duplicates give way, each compared subject gets its best chunk to the front, and seated chunks render grouped by document.',
  },
  {
    id: 'S7',
    issue: 3,
    source: 'design 3, selection, tail',
    text: 'The tail is the newest unbroken run of user and model turns that fits, at full size and in order; its turns are not recalled again.',
  },

  // Fit, manifest, replay
  {
    id: 'F1',
    issue: 3,
    source: 'design 3, fit',
    text: 'Each candidate in order takes the first of full, summary and pointer that fits, or is excluded by slice_budget with what it needed; smaller ones after a larger one may still be seated.',
  },
  {
    id: 'M1',
    issue: 3,
    source: 'design 3, manifest',
    text: 'Every window writes a manifest with inputs, versions, hashes, budget, seated and excluded memories and dependencies, without memory or question text, and a request event with the whole request.',
  },
  {
    id: 'M2',
    issue: 3,
    source: 'design 3, manifest',
    text: 'A manifest claims only what was prepared, never that a provider finished a call.',
  },
  {
    id: 'M3',
    issue: 3,
    source: 'design 3, manifest',
    text: 'Manifests validate against a published JSON Schema, and the renderer and selection versions change whenever bytes could.',
  },
  {
    id: 'R1',
    issue: 6,
    source: 'design 3, replay',
    text: 'Replay checks present authorization and deletion, reads the sources as they were, rebuilds and compares hashes, and answers matched, mismatched or unavailable with one reason.',
  },
  {
    id: 'R2',
    issue: 6,
    source: 'design 3, replay',
    text: 'The difference of two manifests says what entered, left or changed, and which rule or policy caused it.',
  },
  {
    id: 'R3',
    issue: 6,
    source: 'design 3, replay',
    text: 'It can be asked which windows and answers used a version corrected later, and a citation leads back to memory, sources and source event or document.',
  },

  // Loop and tools
  {
    id: 'L1',
    issue: 3,
    source: 'design 3, loop',
    text: 'One run is one loop on one question: results share the tool reserve, rounds and result size are limited, each result is assembled with its own manifest, and the next request must still fit.',
  },
  {
    id: 'L2',
    issue: 3,
    source: 'design 3, loop',
    text: 'Without a window an implicit run with its own limits begins and ends after idle time; runs belong to a principal and thread in the database, and a spent budget is said in a note, not an error.',
  },
  {
    id: 'L3',
    issue: 3,
    source: 'design 3, loop',
    text: 'expand serves ids issued in the current run whose rows are still visible, in full or as summary, never as pointer, else a note says tokens needed and left.',
  },
  {
    id: 'L4',
    issue: 3,
    source: 'design 3, loop',
    text: 'clarify asks the person through elicitation with a deadline, returns the question to the agent otherwise, stores the answer as an event of the thread, and never asks for secrets.',
  },
  {
    id: 'L5',
    issue: 3,
    source: 'design 3, loop',
    text: 'Every tool call, refused ones too, is an event with tool, arguments (or their hash and size), outcome, client, tokens and milliseconds.',
  },

  // Compression, erasure, citations
  {
    id: 'C1',
    issue: 3,
    source: 'design 3, compression',
    text: 'Candidates too large for their slice are summarised and stored before the pure step, with source hash and provenance; a changed source makes the summary stale, and guidelines are never summarised.',
  },
  {
    id: 'E1',
    issue: 6,
    source: 'design 3, erasure',
    text: 'Erasure takes, in one transaction after a dry run, the named rows and all that was derived from them however far, history included, and leaves every other row untouched.',
  },
  {
    id: 'K1',
    issue: 6,
    source: 'design 3, citation check',
    text: 'An answer is checked against its manifest without a model: ids exist, numbers, dates and names occur in what is cited, comparisons have comparative evidence, uncited sentences are listed.',
  },

  // Interfaces
  {
    id: 'T1',
    issue: 3,
    source: 'design 4, MCP',
    text: 'stdio serves every protocol revision from 2025-03-26 to 2026-07-28; Streamable HTTP follows with issue 5.',
  },
  {
    id: 'T2',
    issue: 3,
    source: 'design 4, MCP',
    text: 'The tool list is the active toolbox rows that the scope may use; each call reads its row again and checks policy and arguments; a bad row is quarantined and the others stay.',
  },
  {
    id: 'T3',
    issue: 3,
    source: 'design 4, MCP',
    text: 'Handlers are a fixed list; a new row for one of them is a new tool without a restart, and only connected clients of that tenant are told.',
  },
  {
    id: 'T4',
    issue: 3,
    source: 'design 4, MCP',
    text: 'search_memory, lookup_entity, expand and clarify take their stated arguments; collections come from the plan, and several matching conditions are listed instead of chosen among.',
  },
  {
    id: 'T5',
    issue: 3,
    source: 'design 4, MCP',
    text: 'Results have one declared shape, structured and as text alike: memories with tier, provenance and annotations, strength of evidence, whether more exist, loop budget and notes.',
  },
  {
    id: 'T6',
    issue: 3,
    source: 'design 4, MCP',
    text: 'Errors carry a stable code, one plain sentence, what to do and a request id; never SQL, a stack, table names or a hint of another tenant.',
  },
  {
    id: 'T7',
    issue: 3,
    source: 'design 4, MCP',
    text: 'Guidelines, persona, manifests and windows are resources, private to the caller, with templates and completion where the protocol has them.',
  },
  {
    id: 'T8',
    issue: 3,
    source: 'design 4, MCP',
    text: 'The prompt context_window assembles a window as two user messages, writes its manifest and names the run; the resources equal their sections byte for byte.',
  },
  {
    id: 'T9',
    issue: 3,
    source: 'design 4, MCP',
    text: 'Calls can be cancelled, have deadlines and report progress where they are long; lists are paginated.',
  },
  {
    id: 'T10',
    issue: 3,
    source: 'design 4, MCP',
    text: 'The server instructions hold the memory rules in at most 200 tokens for hosts that never ask for a window.',
  },
  {
    id: 'I1',
    issue: 5,
    source: 'design 4, identity',
    text: 'HTTP is an OAuth 2.1 resource server that verifies bearer tokens strictly, maps claims to a scope and answers 401 and 403 as the specification asks.',
  },
  {
    id: 'I2',
    issue: 3,
    source: 'design 4, identity',
    text: 'Nothing a caller sends can choose a tenant or user; the same thread id of another principal is another thread.',
  },
  {
    id: 'I3',
    issue: 3,
    source: 'design 4, identity',
    text: 'Over stdio the scope is that of the launch configuration.',
  },
  {
    id: 'I4',
    issue: 5,
    source: 'design 4, identity',
    text: 'Without sign-in only loopback can be bound, and loudly so.',
  },

  // Engines
  {
    id: 'N1',
    issue: 3,
    source: 'design 5',
    text: 'Each use of a connection sets the trusted context first and clears it last, also after errors, time-outs and cancellation; a connection that could not be cleared is discarded.',
  },
  {
    id: 'N2',
    issue: 3,
    source: 'design 5',
    text: 'Row security in the database separates tenants and users on every tenant table, denies by default, and the runtime role neither owns nor bypasses anything.',
  },
  {
    id: 'N3',
    issue: 3,
    source: 'design 5',
    text: 'All reads of a window see one recorded snapshot; events, manifest and request follow in a second transaction, and no embedding, model call or question to a person happens inside one.',
  },
  {
    id: 'N4',
    issue: 3,
    source: 'design 5',
    text: 'Retired row versions are kept by triggers with the transactions that wrote and retired them, so that a recorded snapshot can be read again without trusting a clock.',
  },
  {
    id: 'N5',
    issue: 3,
    source: 'design 5',
    text: 'A recorded position names the incarnation of its database, so that one of another database is recognised.',
  },
  {
    id: 'N6',
    issue: 3,
    source: 'design 5',
    text: 'Migrations are numbered and recorded, safe to repeat and to start twice at once; a schema newer than the program, or a data directory of another major version, is refused.',
  },
  {
    id: 'N7',
    issue: 3,
    source: 'design 5',
    text: 'One process owns an embedded data directory and a second is told who holds it; only a dead holder is taken over, and at the end of input or a signal the process closes and exits. Sharing follows with issue 4.',
  },
  {
    id: 'N8',
    issue: 4,
    source: 'design 5',
    text: 'Statements and transactions have deadlines, pools and queues have limits, retries happen only where safe, and a lost connection or restarted database heals without a restart.',
  },
  {
    id: 'N9',
    issue: 3,
    source: 'design 5',
    text: 'What an engine can do is data; no code asks for an engine by name.',
  },
  {
    id: 'N10',
    issue: 3,
    source: 'design 5',
    text: 'One contract suite runs every behaviour of the store on each engine that is available and says aloud which were skipped and why.',
  },

  // Retrieval
  {
    id: 'Q1',
    issue: 3,
    source: 'design 6',
    text: 'Readable, deterministic rules turn a question into intent, subjects, predicates, time range, collections and language hints.',
  },
  {
    id: 'Q2',
    issue: 3,
    source: 'design 6',
    text: 'Lexical search ranks a bounded candidate set by BM25 with frequencies of the scope, folds accents, keeps identifiers whole, serves scripts without spaces and never reads user text as query syntax.',
  },
  {
    id: 'Q3',
    issue: 3,
    source: 'design 6',
    text: 'Vector search is by cosine, exact below a size and by sign bits with exact rescoring above it, always with the scope inside the search.',
  },
  {
    id: 'Q4',
    issue: 3,
    source: 'design 6',
    text: 'Scores scaled within the candidate set are fused by the weights of the policy, reciprocal rank being the alternative; ties end in ids.',
  },
  {
    id: 'Q5',
    issue: 3,
    source: 'design 6',
    text: 'Embedders stand behind one port with an id and dimensions; the built-in static table needs no download and is deterministic.',
  },
  {
    id: 'Q6',
    issue: 3,
    source: 'design 6',
    text: 'Rerankers stand behind one port with a cap and a deadline; when it passes, the fused order serves and the manifest says so.',
  },
  {
    id: 'Q7',
    issue: 3,
    source: 'design 6',
    text: 'With hops in the policy, candidates bring a bounded number of linked memories, marked with relation and direction.',
  },
  {
    id: 'Q8',
    issue: 8,
    source: 'design 6',
    text: 'Documents are chunked by structure and ingested so that a new version replaces the old in one transaction, unchanged ones are skipped and a failure leaves the old version in place.',
  },
  {
    id: 'Q9',
    issue: 3,
    source: 'design 6',
    text: 'A benchmark computes recall and reciprocal rank on public and own questions, beside a plain BM25 in the same run.',
  },
  {
    id: 'Q10',
    issue: 3,
    source: 'design 6',
    text: 'Each slice has its stated sources of candidates; every version of what was touched and the current fact for stale history come along, required facts beyond the candidate cap.',
  },
  {
    id: 'Q11',
    issue: 3,
    source: 'design 6',
    text: 'An optional context_retrieval guideline, validated strictly, sets fusion, rerank and hops, and the manifest records it.',
  },
] as const satisfies readonly Requirement[];
