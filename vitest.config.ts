import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/store/server_setup.ts', 'test/store/kept_copy.ts'],
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
