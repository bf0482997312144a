import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What all projects have. A process imports what the files of its tests share once, not for each file: none may leave anything
 * behind in it, and what is to happen for every file goes into `setupFiles`. And what is awaited comes; how soon is no test's
 * business, least of all on a busy machine.
 */
const common = { isolate: false, expect: { poll: { timeout: 20_000 } } };

/**
 * `npm test` tries a failed test once more and says its name: one slow moment of a busy machine is no finding. Random
 * histories that end wrongly are, so they are not tried again; nor is anything about money.
 */
const retry = process.env.SECOND_TRY ? { count: 1, condition: /^(?!Property failed)/ } : 0;

/** Suites about money: a failure that comes once in a hundred runs is a fault. */
const aboutMoney = [
  'gateway/hold',
  'gateway/replay',
  'scoreboard',
  'services/money/ledger',
  'services/money/payments',
  'testing/campaign',
].map((folder) => `packages/server/src/${folder}/**/*.test.ts`);

/** The relay, which knows neither database nor settings. */
const ofTheRelay = 'packages/server/src/relay/**/*.test.ts';

/** Suites of the server that run on both HTTP engines. */
const onBothEngines = [
  'gateway/*.test.ts',
  'gateway/{answer,call,failover,journey,realtime,replay,vendor-objects}/*.test.ts',
  'gateway/{clients/official-clients,hold/hold-first,settle/{half-usage,log-rows},tasks/batches}.test.ts',
  'gateway/{upstream/fetch-file,vendors/images,vendors/sound}.test.ts',
  'http/relay/*.test.ts',
  'lib/outbound/{http,node-client}.test.ts',
  'outbound.test.ts',
].map((path) => `packages/server/src/${path}`);

/**
 * Node imports what runs on Node, as it does in a gateway, and keeps what it made of it (NODE_COMPILE_CACHE): half the CPU
 * of Vite's imports.
 */
const onNode = { experimental: { viteModuleRunner: false } };

/** Short files whose tests take minutes: they open every page, or start and kill process after process. */
const takesMinutes =
  /\/(?:deploy\/(?:how-to|truth)|e2e\/(?:lists|pages|roles|two-step|whole-life)|clients\/coding-clients|src\/cost-sheet|commands\/doctor|openapi\/examples|relay\/quote|ledger\/cut-connections|receipts\/receipts|campaign\/(?:campaign-\w+|tasks\/\w+)|scoreboard\/(?:kill|workers)|rerating\/kill)\.test\.ts$/;

/**
 * Vitest begins with the longest text where it has no durations yet, as in a fresh clone. A short file that takes minutes
 * would come last and have one worker alone.
 */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => takesMinutes.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    tags: [
      { name: 'deep', description: 'runs in `npm run test:deep` alone' },
      { name: 'rounds', description: 'runs in both, with more rounds in `npm run test:deep`' },
    ],
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'contract',
          ...onNode,
          ...common,
          include: ['packages/contract/src/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'http-engine',
          ...onNode,
          ...common,
          include: ['packages/http-engine/src/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'server',
          ...onNode,
          ...common,
          retry,
          include: ['packages/server/src/**/*.test.ts'],
          exclude: [...aboutMoney, ofTheRelay],
          globalSetup: ['packages/server/src/testing/database-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'relay',
          ...onNode,
          ...common,
          retry,
          include: [ofTheRelay],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'money',
          ...onNode,
          ...common,
          include: aboutMoney,
          globalSetup: ['packages/server/src/testing/database-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // The suites that a call's bytes pass through, once more on Node's server and undici.
          name: 'node-engine',
          ...onNode,
          ...common,
          retry,
          env: { HTTP_ENGINE: 'node' },
          include: onBothEngines,
          globalSetup: ['packages/server/src/testing/database-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: 'web', ...common, include: ['packages/web/src/**/*.test.ts'] } },
      {
        // React as people have it, which takes half the time of the one for development.
        oxc: { jsx: { development: false } },
        test: {
          // Pages of the console, drawn whole in a document of their own.
          name: 'pages',
          env: { NODE_ENV: 'production' },
          ...common,
          retry,
          include: ['packages/web/src/**/*.test.tsx'],
          environment: 'jsdom',
          setupFiles: ['packages/web/src/testing/setup-pages.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'clients',
          ...onNode,
          ...common,
          retry,
          include: ['e2e/clients/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          // What operators install: the archive, the units, restarts.
          name: 'deploy',
          ...onNode,
          ...common,
          retry,
          include: ['deploy/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'e2e',
          ...onNode,
          ...common,
          retry,
          include: ['e2e/*.test.ts'],
          globalSetup: ['e2e/support/run.ts'],
          setupFiles: ['e2e/support/close-pages.ts'],
          testTimeout: 180_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
