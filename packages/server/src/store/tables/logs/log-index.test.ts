import { CompiledQuery, sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate } from '../../migrate.ts';
import { openStore } from '../../open.ts';
import type { Store } from '../../open.ts';
import type { Db } from '../../dialects/types.ts';
import { charged } from './charged.ts';
import { moveOn } from './hours/marks.ts';
import * as logs from './logs.ts';
import type { LogFilter } from './logs.ts';

// Tests run on SQLite, whose planner output is short. The indexes are the same on every database.
let store: Store;
beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
});
afterEach(() => store.close());

/** The plan of the first matching statement that a function runs on the log. */
async function readPlan(run: (db: Db) => Promise<unknown>, which = /./): Promise<string> {
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
  await run(watched);
  const first = statements.find((statement) => which.test(statement.sql));
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
  ['a tag', { tags: [{ name: 'team', value: 'a' }], start: 1 }, 'log_tags_tag_time'],
])('a page of %s comes from one index, in order, without sorting', async (_name, filter, index) => {
  const plan = await readPlan(
    (db) => logs.list(db, filter, { offset: 0, limit: 10 }),
    /from "logs"|from \(select/,
  );
  expect(plan).toContain(index);
  expect(plan).not.toMatch(/TEMP B-TREE|SCAN logs(?! USING)/);
});

it.each<[string, LogFilter, RegExp]>([
  ['a user', { userId: 1 }, /PRIMARY KEY \(kind=\? AND ref=\?\)/],
  ['a name', { username: 'former' }, /log_hours_user_name \(name=\?\)/],
  ['a model', { modelName: 'm' }, /PRIMARY KEY \(kind=\? AND ref=\? AND name=\? AND hour>\? AND hour<\?\)/],
  [
    'a user and a model',
    { userId: 1, modelName: 'm' },
    /PRIMARY KEY \(kind=\? AND ref=\? AND name=\? AND hour>\? AND hour<\?\)/,
  ],
])('sums of %s read none of the others', async (_name, filter, key) => {
  const blank = { ...logs.blank, content: '', type: 2, username: 'former' };
  await logs.insert(
    store.db,
    [1, 2].map((id) => ({ ...blank, user_id: id, created_at: 10 })),
  );
  // The statistics are older than the sums, which can happen in production.
  await sql`analyze`.execute(store.db);
  await moveOn(store.db, 0, 7200);
  const plan = await readPlan((db) => charged(db, filter), /log_hours\s+where/);
  expect(plan).toMatch(key);
  expect(plan).not.toContain('log_hours_hour');
});

it.each<[string, LogFilter]>([
  ['all', {}],
  ['a time', { start: 7_000, end: 8_000 }],
  ['what teams paid', { paidBy: 'team' }],
])(
  'rows of %s that are not summed yet come from the index over margins, and are not read',
  async (_name, filter) => {
    await moveOn(store.db, 0, 7200);
    const plan = await readPlan((db) => charged(db, filter), /from "logs"/);
    expect(plan).toMatch(/USING COVERING INDEX logs_margin/);
    // The name must be read for rows without a key.
    expect(plan.match(/logs USING INDEX/g)).toHaveLength(1);
    expect(plan).toContain('logs_token_time (token_id=? AND created_at');
  },
);
