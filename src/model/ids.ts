// Branded identifiers: the only place where plain text becomes an id.

import { MemoryError } from './errors.ts';

declare const brand: unique symbol;
type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** A tenant; compared by bytes, never part of a name, path or pattern. */
export type TenantId = Branded<string, 'TenantId'>;
/** A user of a tenant; compared by bytes. */
export type UserId = Branded<string, 'UserId'>;
/** An agent of a tenant; compared by bytes. */
export type AgentId = Branded<string, 'AgentId'>;
/** A conversation thread; unique only within (tenant, user, agent). */
export type ThreadId = Branded<string, 'ThreadId'>;
/** A row of a memory table; ASCII, unique within a tenant and table. */
export type RowId = Branded<string, 'RowId'>;
/** A run of the agent loop. */
export type RunId = Branded<string, 'RunId'>;
/** The id that a model cites: `B` and ten hex digits (design A4). */
export type CitationId = Branded<string, 'CitationId'>;
/** A position in the database's history: an SCN, or a PostgreSQL snapshot as text. */
export type Scn = Branded<string, 'Scn'>;

const longestIdBytes = 255;

function principalId(text: string, what: string): string {
  if (text.length === 0) throw new MemoryError('invalid_argument', `The ${what} is empty.`, { field: what });
  if (new TextEncoder().encode(text).length > longestIdBytes) {
    throw new MemoryError('invalid_argument', `The ${what} is longer than ${longestIdBytes} bytes.`, { field: what });
  }
  // A control character could break a log line or a trusted setting; a lone surrogate has no bytes to compare.
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) {
    throw new MemoryError('invalid_argument', `The ${what} holds a control character or a broken one.`, {
      field: what,
    });
  }
  return text;
}

/** Makes a tenant id from verified claims or launch configuration. Throws `invalid_argument`. */
export function tenantId(text: string): TenantId {
  return principalId(text, 'tenant id') as TenantId;
}

/** Makes a user id from verified claims or launch configuration. Throws `invalid_argument`. */
export function userId(text: string): UserId {
  return principalId(text, 'user id') as UserId;
}

/** Makes an agent id from verified claims or launch configuration. Throws `invalid_argument`. */
export function agentId(text: string): AgentId {
  return principalId(text, 'agent id') as AgentId;
}

/** Makes a thread id; the same text of another principal is another thread. Throws `invalid_argument`. */
export function threadId(text: string): ThreadId {
  return principalId(text, 'thread id') as ThreadId;
}

/** Makes a row id: 1 to 128 ASCII characters of `[A-Za-z0-9_.:-]`. Throws `invalid_argument`. */
export function rowId(text: string): RowId {
  if (!/^[A-Za-z0-9_.:-]{1,128}$/.test(text)) {
    throw new MemoryError('invalid_argument', 'A row id must be 1 to 128 characters of A-Z, a-z, 0-9 and _ . : -', {
      field: 'id',
    });
  }
  return text as RowId;
}

/** Makes a run id; same form as a row id. Throws `invalid_argument`. */
export function runId(text: string): RunId {
  return rowId(text) as string as RunId;
}

/** True for text of the form of a citation id. */
export function isCitationId(text: string): text is CitationId {
  return /^B[0-9a-f]{10}$/.test(text);
}

/** Makes a citation id. Throws `invalid_argument`. */
export function citationId(text: string): CitationId {
  if (!isCitationId(text)) {
    throw new MemoryError('invalid_argument', 'A memory id is the letter B and ten hexadecimal digits.', {
      field: 'memory_id',
    });
  }
  return text;
}

/** Marks a position that the database gave. */
export function scn(text: string): Scn {
  return text as Scn;
}
