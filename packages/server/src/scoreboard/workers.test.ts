import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { optionsMark } from '../boot/site.ts';
import { checkBooks } from '../services/money/ledger/index.ts';
import { freshServer, missingServer } from '../store/each-dialect.ts';
import { changeMarks, holds, options, type Store } from '../store/index.ts';
import { type CallRecord, makeCall } from '../testing/campaign/calls.ts';
import { Campaign } from '../testing/campaign/campaign.ts';
import type { Child } from '../testing/campaign/child.ts';
import { makeKeyed, noteRepeated } from '../testing/campaign/faults-keys.ts';
import { goodModel, openWorld, type Script } from '../testing/campaign/world.ts';
import { sized } from '../testing/scoreboard-size.ts';

const token = 'a token for the figures';
const inTime = { timeout: 240_000, interval: 50 };
/** A stream of ten seconds. */
const longer: Script = { chunks: 200, paceMs: 50, usage: true };
/** A stream of five seconds: long enough to leave progress marks. */
const long: Script = { chunks: 100, paceMs: 50, usage: true };

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

interface Bed {
  missing?: string | undefined;
  /** Number of workers that are killed, one after another. */
  kills: number;
  open: () => Promise<string>;
}

/** Tests of this number of workers on one database. An unavailable database is reported as skipped. */
const workersOn = (name: string, workers: number, { missing, kills, open }: Bed): void => {
  const why = missing ? ` (${missing})` : '';
  describe.skipIf(missing !== undefined)(`${workers} workers on ${name}${why}`, () => {
    let dataDir: string;
    let campaign: Campaign;
    let child: Child;
    let store: Store;

    /** Process id of each worker by its number. */
    const pids = new Map<number, number>();

    const learnPids = (): void => {
      const printed = child.printed().matchAll(/"worker":(\d+),"pid":(\d+),"msg":"a worker listens"/g);
      for (const [, worker, pid] of printed) pids.set(Number(worker), Number(pid));
    };
    const start = async (): Promise<void> => {
      child = await campaign.start({ METRICS_TOKEN: token, LOG_LEVEL: 'info' });
      learnPids();
    };

    beforeAll(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'tollgate-workers-'));
      campaign = new Campaign(await openWorld({ dataDir, databaseUrl: await open(), workers }), 16);
      store = await campaign.store();
      await start();
    });
    afterAll(async () => {
      child.kill('SIGKILL');
      await campaign.close();
      await rm(dataDir, { recursive: true, force: true });
    });

    /** Starts calls one after another. The worker that wakes first could take all calls of a simultaneous burst. */
    const inTurn = <T>(count: number, call: (i: number) => Promise<T>): Promise<T>[] =>
      Array.from({ length: count }, async (_, i) => {
        await sleep(i * 5);
        return call(i);
      });
    /** A call on its own connection, as from a separate client. With a key it is repeated until it is answered. */
    const ask = (n: number, key: string, how: { stream: boolean; script: Script }): Promise<CallRecord> => {
      const { callers } = campaign.world;
      const index = n % callers.length;
      const who = { url: child.url, caller: callers[index]!, index };
      const call = { ...who, model: goodModel, hangUpAfter: 0, ...how };
      if (key === '') return makeCall({ ...call, agent: new Agent() });
      return makeKeyed({ ...call, headers: { 'idempotency-key': `${key}-${n}` } });
    };
    /** Streams; every second one has a key. */
    const streams = (count: number, script: Script, key: string): Promise<CallRecord>[] =>
      inTurn(count, (n) => ask(n, n % 2 === 0 ? key : '', { stream: true, script }));
    /** Repeats the calls with a key, and compares all with the books. */
    const noteStreams = async (fault: string, records: readonly CallRecord[], key: string): Promise<void> => {
      const first = records.filter((_, n) => n % 2 === 0);
      const again = await Promise.all(
        first.map(({ script }, i) => ask(2 * i, key, { stream: true, script })),
      );
      await noteRepeated(campaign, fault, { first, again });
      campaign.note(
        fault,
        records.filter((_, n) => n % 2 === 1),
      );
      // The judge runs here, because the next start would not know the calls until then.
      await campaign.judgeLast();
      expect(campaign.wrong).toEqual([]);
    };
    /** Number of calls whose hold has a progress mark. */
    const underWay = async (): Promise<number> =>
      (await holds.listHolds(store.db)).filter(({ progress }) => progress > 0).length;
    /** The processes of workers that carry such calls. */
    const carriers = async (): Promise<number[]> => {
      const marked = (await holds.listHolds(store.db)).filter(({ progress }) => progress > 0);
      const busy = new Set(marked.map(({ node }) => Number(/#w(\d+)$/.exec(node)?.[1])));
      return [...busy].sort((one, other) => one - other).map((worker) => pids.get(worker)!);
    };
    /** Number of calls that were charged at their last mark. */
    const recovered = async (): Promise<number> => {
      const charges = store.db.selectFrom('ledger').select('txn').where('note', 'like', '%"recovered":true%');
      return (await charges.execute()).length;
    };
    const metric = async (name: string): Promise<number> => {
      const answer = await fetch(`${child.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      const lines = (await answer.text()).split('\n').filter((line) => line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };

    it('serve the console through the first process, for the address that really called', async () => {
      expect((await fetch(`${child.url}/readyz`)).status).toBe(200);
      const login = (address: string): Promise<Response> =>
        fetch(`${child.url}/api/user/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-tollgate-caller': address },
          body: JSON.stringify({ username: `nobody${address}`, password: 'a wrong password' }),
        });
      // The limit by address applies regardless of addresses in the caller's headers, and across both workers.
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => login(`10.0.0.${i}`)));
      expect(answers.filter(({ status }) => status !== 429)).toHaveLength(20);
    }, 300_000);

    it('count limits and figures together', async () => {
      const before = await metric('tollgate_relay_requests_total');
      // Changes the limit as another process on the same database does.
      const limit = async (on: boolean): Promise<void> => {
        const limits = {
          ModelRequestRateLimitEnabled: String(on),
          ModelRequestRateLimitCount: '10',
          ModelRequestRateLimitSuccessCount: '1000',
          ModelRequestRateLimitDurationMinutes: '60',
        };
        for (const [key, value] of Object.entries(limits)) await options.put(store.db, key, value);
        await changeMarks.mark(store.db, [optionsMark]);
      };
      await limit(true);
      const script = { chunks: 1, paceMs: 0, usage: true };
      const made = async (index: number, count: number): Promise<CallRecord[]> => {
        const call = { model: goodModel, stream: false, script, hangUpAfter: 0 };
        const caller = campaign.world.callers[index]!;
        const connected = () => ({ url: child.url, agent: new Agent(), caller, index });
        const records = await Promise.all(inTurn(count, () => makeCall({ ...connected(), ...call })));
        campaign.note('limits', records);
        return records;
      };
      const passed = (records: CallRecord[]): number => records.filter(({ status }) => status === 200).length;
      // Both workers know the limit once they refuse all of these calls, and its end once they accept all.
      await vi.waitFor(async () => expect(passed(await made(0, 20))).toBe(0), inTime);
      expect(passed(await made(1, 30))).toBe(10);
      await limit(false);
      await vi.waitFor(async () => expect(passed(await made(2, 20))).toBe(20), inTime);
      const rows = await store.db.selectFrom('logs').select('id').where('type', '=', 2).execute();
      await vi.waitFor(
        async () => expect((await metric('tollgate_relay_requests_total')) - before).toBe(rows.length),
        inTime,
      );
    }, 300_000);

    it('Q4: of calls that are sent twice with a key none is charged twice, whichever workers they come to', async () => {
      const pairs = sized(500, 60);
      const charges = async (): Promise<number> => {
        const rows = store.db.selectFrom('ledger').select('txn').where('kind', '=', 'usage');
        return (await rows.execute()).length;
      };
      const before = await charges();
      const send = (n: number): Promise<CallRecord> => {
        const script = { chunks: 2 + (n % 10), paceMs: n % 4 === 0 ? 10 : 0, usage: true };
        return ask(n, 'twice', { stream: n % 2 === 0, script });
      };
      const both = await Promise.all(
        inTurn(pairs, async (n) =>
          n % 3 === 0 ? [await send(n), await send(n)] : Promise.all([send(n), send(n)]),
        ),
      );
      for (const [one, other] of both as [CallRecord, CallRecord][]) {
        for (const { end, status, body } of [one, other])
          expect({ end, status, body }).toMatchObject({ end: 'whole' });
        expect([other.requestId, other.body, other.cost]).toEqual([one.requestId, one.body, one.cost]);
      }
      expect((await charges()) - before).toBe(pairs);
      campaign.note(
        'every call twice',
        both.map(([one]) => one!),
      );
    }, 300_000);

    it('Q2, Q3, Q4: a worker that is killed takes its own calls alone, which are charged at their last mark at once, and once', async () => {
      for (let kill = 0; kill < kills; kill += 1) {
        const before = child.workers();
        const marked = await recovered();
        expect(before).toHaveLength(workers);
        const calls = streams(40, long, `worker-${kill}`);
        await vi.waitFor(async () => expect(await underWay()).toBeGreaterThan(35), inTime);
        const busy = await carriers();
        process.kill(busy[kill % busy.length]!, 'SIGKILL');
        const records = await Promise.all(calls);
        const broken = records.filter(({ end }) => end === 'broken');
        expect(broken.length).toBeGreaterThan(0);
        expect(broken.length).toBeLessThan(records.length);
        expect(records.filter(({ end }) => end !== 'broken' && end !== 'whole')).toEqual([]);
        // The others ran for two more seconds. By then the holds of the dead worker have ended, although its timeout is
        // ten seconds.
        expect(await holds.listHolds(store.db)).toEqual([]);
        expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
        expect(await recovered()).toBeGreaterThan(marked);
        await vi.waitFor(() => {
          const fresh = child.workers().filter((pid) => !before.includes(pid));
          expect(fresh).toHaveLength(1);
          learnPids();
          expect([...pids.values()]).toContain(fresh[0]);
        }, inTime);
        await noteStreams('a worker is killed', records, `worker-${kill}`);
      }
    }, 900_000);

    it(
      'delivers at most three seconds beyond what a crash will charge, also while the first process stands still',
      { timeout: 300_000 },
      async () => {
        // A new key for each try: a replayed answer has no marks.
        const key = `stopped-${child.pid}`;
        const calls = streams(10, longer, key);
        await vi.waitFor(async () => expect(await underWay()).toBeGreaterThan(7), inTime);
        process.kill(child.pid, 'SIGSTOP');
        await sleep(4_000);
        child.kill('SIGKILL');
        await child.ended;
        const records = await Promise.all(calls);
        await start();
        const rows = await store.db.selectFrom('logs').select(['request_id', 'completion_tokens']).execute();
        const charged = new Map(rows.map((row) => [row.request_id, row.completion_tokens]));
        // All words have the same number of tokens.
        const tokensPerWord = 2;
        const ahead = records.map(
          ({ requestId, body }) =>
            body.split('"content":"word').length - 1 - (charged.get(requestId) ?? 0) / tokensPerWord,
        );
        // The calls are in the books before the bound is judged: the next test closes the same books.
        await noteStreams('the first process stood still', records, key);
        // The last mark may be a second old, an answer pauses 1.2 s after a part without a mark, and a busy machine
        // delivers in bursts.
        expect(Math.max(...ahead)).toBeLessThan(60);
      },
    );

    it(
      'Q2, Q3, Q4: when the first process is killed its workers end, and the next start books what they left, once',
      { timeout: 300_000 },
      async () => {
        const orphans = child.workers();
        const calls = streams(20, long, 'first');
        await vi.waitFor(async () => expect(await underWay()).toBeGreaterThan(15), inTime);
        child.kill('SIGKILL');
        await child.ended;
        const first = await Promise.all(calls);
        await vi.waitFor(() => expect(orphans.filter(isAlive)).toEqual([]), inTime);
        const marked = await recovered();
        await start();
        expect(await recovered()).toBeGreaterThan(marked);
        await noteStreams('the first process is killed', first, 'first');
        const calls2 = streams(10, { chunks: 20, paceMs: 50, usage: true }, 'stop');
        await vi.waitFor(
          async () => expect((await holds.listHolds(store.db)).length).toBeGreaterThan(5),
          inTime,
        );
        // The streams end before all processes stop.
        await campaign.stop('an ordinary stop', child);
        const records = await Promise.all(calls2);
        expect(records.map(({ end }) => end)).toEqual(records.map(() => 'whole'));
        campaign.note('an ordinary stop', records);
        await campaign.finish();
        expect(campaign.wrong).toEqual([]);
      },
    );
  });
};

for (const workers of sized([2, 4], [2])) {
  workersOn('PostgreSQL', workers, {
    missing: missingServer('postgres'),
    kills: sized(20, 2),
    open: () => freshServer('postgres'),
  });
}
