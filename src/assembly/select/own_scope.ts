// Scope, asserted (design S1): the database filters it, and a foreign row that comes all the same stops the assembly.

import type { Candidate } from '../../model/candidate.ts';
import { MemoryError } from '../../model/errors.ts';
import type { RowScope, Scope } from '../../model/scope.ts';
import type { SelectionInput } from './selection.ts';

/**
 * Asserts that every candidate and every known version may be seen by the caller. Throws `scope_violation`, which names
 * no row: what is foreign is never recorded. Of versions the thread is not judged, since history of the caller's other
 * threads rests on facts of those threads.
 */
export function assertOwnScope(input: SelectionInput): void {
  const foreign =
    input.candidates.some((candidate) => !isOwnCandidate(candidate, input.scope)) ||
    input.versions.some((version) => !isOwnPrincipal(version.scope, input.scope));
  if (foreign) throw new MemoryError('scope_violation', 'A memory outside the scope of the call reached the assembly.');
}

function isOwnCandidate({ memory, slice }: Candidate, scope: Scope): boolean {
  if (!isOwnPrincipal(memory.scope, scope)) return false;
  if (memory.scope.threadId === null || memory.scope.threadId === scope.threadId) return true;
  // Thread ids are unique only within a user: another thread is the caller's own only on a row of that user.
  const isHistory = memory.type === 'summary' || (memory.type === 'conversation' && slice !== 'volatile_tail');
  return isHistory && memory.scope.userId === scope.userId;
}

function isOwnPrincipal(row: RowScope, scope: Scope): boolean {
  return (
    row.tenantId === scope.tenantId &&
    (row.userId === null || row.userId === scope.userId) &&
    (row.agentId === null || row.agentId === scope.agentId)
  );
}
