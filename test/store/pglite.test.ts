// The contract of the store port on the embedded engine, and what only this engine owes.

import { describeStore } from './contract.ts';
import { openInMemory } from './pglite_session.ts';

describeStore('embedded store (PGlite)', openInMemory);
