// Reads the policy rows of a tenant out of its guidelines: the budget, and how to retrieve.

import type { BudgetPolicy, RetrievalPolicy } from '../model/budget.ts';
import { MemoryError } from '../model/errors.ts';
import type { Guideline } from '../model/memory.ts';
import { parseBudget, parseRetrieval } from '../store/policy_rows.ts';

/** The keys of the policy rows; rows with other `context_` keys are reserved and read by nobody. */
const budgetKey = 'context_budget';
/** The key of the optional retrieval policy (design Q11). */
const retrievalKey = 'context_retrieval';

/** The policies of one tenant at one time. */
export interface Policies {
  readonly budget: BudgetPolicy;
  readonly retrieval: RetrievalPolicy;
}

/** Policies are tenant-scoped: a row of a user, agent or thread with such a key is not one. */
function tenantRow(guidelines: readonly Guideline[], key: string): Guideline | undefined {
  return guidelines.find(
    (row) => row.key === key && row.scope.userId === null && row.scope.agentId === null && row.scope.threadId === null,
  );
}

/** Throws `policy_missing` where the tenant has no budget row and `policy_invalid` where a row is broken. */
export function policiesOf(guidelines: readonly Guideline[]): Policies {
  const budgetRow = tenantRow(guidelines, budgetKey);
  if (budgetRow === undefined) {
    throw new MemoryError('policy_missing', 'This tenant has no context budget.', { guideline: budgetKey });
  }
  const retrievalRow = tenantRow(guidelines, retrievalKey);
  return {
    budget: { ref: budgetRow.ref, budget: parseBudget(budgetRow.value) },
    retrieval: { ref: retrievalRow?.ref ?? null, ...parseRetrieval(retrievalRow?.value ?? {}) },
  };
}
