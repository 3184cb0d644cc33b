// The contract of the store port on the embedded engine, and what only this engine owes.

import { describeStore } from './contract.ts';
import { openInMemory } from './pglite_session.ts';

describeStore('embedded store (PGlite)', openInMemory);

// An engine that a later version brings runs the same contract; here it cannot.
console.warn('store contract: skipped on oracle, which this version does not have');
