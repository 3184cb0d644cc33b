// The contract of the store port on the embedded engine, and what only this engine owes.

import { describeStore } from './contract.ts';
import { openInMemory } from './pglite_session.ts';

describeStore('embedded store (PGlite)', openInMemory);

// Engines that a later version brings run the same contract; here they cannot.
for (const engine of ['postgres server', 'oracle']) {
  console.warn(`store contract: skipped on ${engine}, which this version does not have`);
}
