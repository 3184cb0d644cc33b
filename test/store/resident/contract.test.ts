// The contract of searches, answered from memory: the statements that would answer otherwise may not even run.

import { afterAll, beforeAll, describe } from 'vitest';
import { createResidents } from '../../../src/store/resident/residents.ts';
import { contractOfSearch } from '../contract_search.ts';
import type { OpenedStore } from '../harness.ts';
import { openWatchedEngine, searchStatements } from './watched_engine.ts';

describe('[N10] searches of the embedded store from memory', () => {
  let opened: OpenedStore;
  beforeAll(async () => {
    const watched = await openWatchedEngine();
    opened = { ...watched, store: watched.storeWith(createResidents('eager')) };
    watched.before((name) => {
      if (searchStatements.some((refused) => refused === name)) throw new Error(`${name} was asked`);
    });
  });
  afterAll(() => opened.store.close());
  contractOfSearch(() => opened);
});
