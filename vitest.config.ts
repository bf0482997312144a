import { defineConfig } from 'vitest/config';

/** What is awaited comes; how soon is no test's business, least of all on a busy machine. */
const patient = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'contract', expect: patient, include: ['packages/contract/src/**/*.test.ts'] } },
      {
        test: {
          name: 'server',
          expect: patient,
          include: ['packages/server/src/**/*.test.ts'],
          globalSetup: ['packages/server/src/testing/database-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'web', expect: patient, include: ['packages/web/src/**/*.test.ts'] } },
      {
        test: {
          name: 'clients',
          expect: patient,
          include: ['e2e/clients/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          expect: patient,
          include: ['e2e/*.test.ts'],
          globalSetup: ['e2e/support/run.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
