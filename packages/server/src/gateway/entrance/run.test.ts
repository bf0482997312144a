import { product } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandbox } from '../../relay/providers/sandbox/index.ts';
import { budgets, runs } from '../../store/index.ts';
import { addBudget } from '../../services/money/ledger/testing/test-bed.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import {
  callProtocols,
  sendCall,
  talkUntilEnded,
  textCalls,
  waitUntilSettled,
} from '../../testing/worlds/limited-calls.ts';
import { realtimeModel } from '../../testing/worlds/realtime-world.ts';

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  await gate.addChannel({ type: sandbox.type, base_url: '', models: sandbox.models.join(',') });
  await gate.core.settings.set(
    'ModelRatio',
    JSON.stringify({ sandbox: 0.5, 'sandbox-no-usage': 0.5, [realtimeModel]: 2.5 }),
  );
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

const inRun = (run: string) => ({ [product.headers.run]: run, 'accept-language': 'en' });

async function call(caller: TestCaller, run: string, words = 'hi', stream = false) {
  const answer = await sendCall(gate, caller, textCalls.chat('sandbox', words, stream), inRun(run));
  return { status: answer.status, text: await answer.text() };
}

/** Figures of runs by path. */
async function figures(caller: TestCaller, ...paths: string[]) {
  await waitUntilSettled(gate);
  const rows = await runs.find(gate.core.store.db, caller.userId, paths);
  return Object.fromEntries(rows.map(({ run, used, held, calls }) => [run, { used, held, calls }]));
}

async function newestTags(): Promise<unknown> {
  const rows = gate.core.store.db.selectFrom('logs').select('tags').where('type', '=', 2);
  const row = await rows.orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.tags ? JSON.parse(row.tags) : undefined;
}

describe('a run', () => {
  it('begins with the call that names it, counts on all its levels, and stands on the row', async () => {
    const caller = await gate.addCaller();
    const before = (await gate.readBalance(caller)).balance;
    expect((await call(caller, 'job/search/page; max=1; calls=3')).status).toBe(200);
    expect((await call(caller, 'job/search')).status).toBe(200);
    const found = await figures(caller, 'job', 'job/search', 'job/search/page');
    const spent = before - (await gate.readBalance(caller)).balance;
    expect(found['job']).toEqual({ used: spent, held: 0, calls: 2 });
    expect(found['job/search']).toEqual(found['job']);
    expect(found['job/search/page']).toMatchObject({ calls: 1 });
    expect(await newestTags()).toEqual({ run: 'job', 'run.2': 'job/search' });
  });

  it.each(callProtocols)('with nothing left refuses %s by its name and what is left', async (protocol) => {
    const caller = await gate.addCaller();
    const asked = textCalls[protocol]('sandbox', 'hello', true);
    const refused = await sendCall(gate, caller, asked, inRun('small/part; max=0.000002'));
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringMatching(/run small\/part .*\$0\.000002 left/),
    ]);
    expect(await figures(caller, 'small', 'small/part')).toEqual({
      small: { used: 0, held: 0, calls: 0 },
      'small/part': { used: 0, held: 0, calls: 0 },
    });
  });

  it('is never passed by parallel calls and streams, also not through its sub-runs', async () => {
    const caller = await gate.addCaller({ balance: 2_000_000_000 });
    const units = 300;
    await call(caller, `tree; max=${units / 500_000}`, 'x');
    const texts = Array.from({ length: 30 }, (_, n) => 'some words here '.repeat(1 + (n % 9)));
    await Promise.all(texts.map((words, n) => call(caller, `tree/part-${n % 5}; max=1`, words, n % 2 === 0)));
    const found = await figures(caller, 'tree', ...[0, 1, 2, 3, 4].map((n) => `tree/part-${n}`));
    const { tree, ...parts } = found;
    expect(tree).toMatchObject({ held: 0 });
    expect(tree!.used).toBeLessThanOrEqual(units);
    expect(tree!.used).toBe(2_000_000_000 - (await gate.readBalance(caller)).balance);
    const inParts = Object.values(parts).reduce((sum, { used }) => sum + used, 0);
    expect(inParts).toBeGreaterThan(0);
    expect(inParts).toBeLessThanOrEqual(tree!.used);
  });

  it('makes exactly its number of calls, side by side; those of another user are another run', async () => {
    const [caller, other] = [await gate.addCaller(), await gate.addCaller()];
    const all = await Promise.all(Array.from({ length: 20 }, () => call(caller, 'counted; calls=5')));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(all.find(({ status }) => status === 403)?.text).toContain(
      'The run counted has made all of its 5 calls',
    );
    expect(await figures(caller, 'counted')).toMatchObject({ counted: { calls: 5 } });
    expect((await call(other, 'counted')).status).toBe(200);
  });

  it('keeps the limits of its first call, and gives back what a failed call has held', async () => {
    const caller = await gate.addCaller();
    expect((await call(caller, 'kept; calls=2')).status).toBe(200);
    const failed = await sendCall(gate, caller, textCalls.chat('sandbox-error', 'hi', false), inRun('kept'));
    expect(failed.status).toBeGreaterThanOrEqual(400);
    expect((await call(caller, 'kept; calls=9')).status).toBe(200);
    expect((await call(caller, 'kept; calls=9')).status).toBe(403);
  });

  it('that has ended or was stopped accepts no call, and neither do its sub-runs', async () => {
    const caller = await gate.addCaller();
    await call(caller, 'brief; ttl=60');
    await call(caller, 'brief/part; ttl=6000');
    const [row] = await runs.find(gate.core.store.db, caller.userId, ['brief']);
    const [part] = await runs.find(gate.core.store.db, caller.userId, ['brief/part']);
    expect(part).toMatchObject({ parent: row!.id, window_end: row!.window_end });
    expect(row!.window_end - row!.window_start).toBe(60);
    await budgets.update(gate.core.store.db, row!.id, { enabled: 0 });
    gate.core.runs.forget();
    for (const run of ['brief', 'brief/part', 'brief/other']) {
      const { status, text } = await call(caller, run);
      expect([run, status, text]).toEqual([run, 403, expect.stringContaining('The run brief has ended')]);
    }
  });

  it('is beside a budget without room, which refuses a call before its long body is read', async () => {
    const caller = await gate.addCaller();
    const conditions = { user_id: caller.userId, name: 'of nothing' };
    await addBudget(gate.core.store, 0, conditions);
    await gate.core.budgetRules.reload();
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...inRun('any') },
      body: 'not JSON '.repeat(10_000),
    });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('of nothing')]);
  });

  it.each(['', 'a b', 'a/b/c/d/e', 'a; max=-1', 'a; max', 'a; calls=0', 'a; ttl=x', 'a; depth=2', '/a'])(
    'is refused if its header is “%s”',
    async (run) => {
      const { status, text } = await call(await gate.addCaller(), run);
      expect([status, text]).toEqual([400, expect.stringContaining(product.headers.run)]);
    },
  );

  it('bounds tasks, whose rows name it, and a session', async () => {
    const caller = await gate.addCaller();
    const video = ['/v1/videos', { model: 'sandbox-video', prompt: 'a hat' }] as const;
    const refused = await sendCall(gate, caller, [...video], inRun('films; max=0.000001'));
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('run films')]);
    const made = await sendCall(gate, caller, [...video], {
      ...inRun('more-films; max=5'),
      [product.headers.tags]: 'team=a',
    });
    expect(made.status).toBe(200);
    await made.text();
    expect(await figures(caller, 'more-films')).toMatchObject({ 'more-films': { calls: 1 } });
    expect(await newestTags()).toEqual({ run: 'more-films', team: 'a' });
    const talker = await gate.addCaller();
    const { error } = await talkUntilEnded(gate, talker, inRun('talk; max=0.004'));
    expect(JSON.stringify(error)).toContain('run talk');
    const { talk } = await figures(talker, 'talk');
    expect(talk!.used).toBeLessThanOrEqual(2_000);
  });
});
