// The contract of the store port: every engine that is available runs all of it.

import { afterAll, beforeAll, describe } from 'vitest';
import { contractOfErasure } from './contract_erasure.ts';
import { contractOfDigests } from './contract_digests.ts';
import { contractOfHistory } from './contract_history.ts';
import { contractOfImport } from './contract_import.ts';
import { contractOfIsolation } from './contract_isolation.ts';
import { contractOfPast } from './contract_past.ts';
import { contractOfPortable } from './contract_portable.ts';
import { contractOfReads } from './contract_reads.ts';
import { contractOfRuns } from './contract_runs.ts';
import { contractOfSearch } from './contract_search.ts';
import { contractOfWrites } from './contract_writes.ts';
import type { OpenedStore } from './harness.ts';

/** Runs the contract on one engine. The store is opened once; each test has a tenant of its own. */
export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`[N10] ${name}`, () => {
    let opened: OpenedStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.store.close());
    const given = (): OpenedStore => opened;
    describe('isolation', () => contractOfIsolation(given));
    describe('reads', () => contractOfReads(given));
    describe('search', () => contractOfSearch(given));
    describe('writes', () => contractOfWrites(given));
    describe('digests and long memories', () => contractOfDigests(given));
    describe('runs and manifests', () => contractOfRuns(given));
    describe('import', () => contractOfImport(given));
    describe('export and import', () => contractOfPortable(given));
    describe('snapshots and history', () => contractOfHistory(given));
    describe('erasure and retention', () => contractOfErasure(given));
    describe('past reads', () => contractOfPast(given));
  });
}
