import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../migrate.ts';
import { openStore } from '../../open.ts';
import type { Store } from '../../open.ts';
import * as logs from './logs.ts';
import type { LogFilter } from './logs.ts';

// On SQLite, whose planner tells its plan in a word: the indexes are the same everywhere.
let store: Store;
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
});
afterEach(() => store.close());

/** The plan of the first statement that `logs.list` runs on the log. */
async function planOf(filter: LogFilter): Promise<string> {
  const statements: { sql: string; parameters: readonly unknown[] }[] = [];
  const watched = store.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => result,
  });
  const executor = watched.getExecutor();
  const compile = executor.compileQuery.bind(executor);
  executor.compileQuery = (node, id) => {
    const compiled = compile(node, id);
    statements.push({ sql: compiled.sql, parameters: compiled.parameters });
    return compiled;
  };
  await logs.list(watched, filter, { offset: 0, limit: 10 });
  const [first] = statements;
  const explain = CompiledQuery.raw(`explain query plan ${first?.sql}`, [...(first?.parameters ?? [])]);
  const { rows } = await store.db.executeQuery<{ detail: string }>(explain);
  return rows.map(({ detail }) => detail).join('; ');
}

it.each<[string, LogFilter, string]>([
  ['all rows', {}, 'logs_time'],
  ['a time range', { start: 1, end: 2 }, 'logs_time'],
  ['a user', { userId: 1, start: 1 }, 'logs_user_time'],
  ['a token', { tokenId: 1, end: 2 }, 'logs_token_time'],
  ['a channel', { channelId: 1, start: 1, end: 2 }, 'logs_channel_time'],
  ['a model', { modelName: 'gpt-4o' }, 'logs_model_time'],
  ['a rare type', { type: 1, start: 1 }, 'logs_rare_type_time'],
])('a page of %s comes from one index, in order, without sorting', async (_name, filter, index) => {
  const plan = await planOf(filter);
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/TEMP B-TREE|SCAN logs(?! USING)/);
});
