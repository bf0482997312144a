import { beforeEach, expect, it } from 'vitest';
import { checkBooks } from '../services/money/ledger/index.ts';
import { eachFleet } from '../services/money/ledger/testing/fleet.ts';
import { addMember, addTeam as addWallet, memberFigures } from '../services/money/ledger/testing/team-bed.ts';
import { bill, readFigures, hold, holdRequest, unique } from '../services/money/ledger/testing/test-bed.ts';
import { eachDialect } from '../store/each-dialect.ts';
import type { Store } from '../store/index.ts';
import { openGatesBeforeEach } from '../testing/gateway-fleet.ts';
import type { GatewayHarness, TestCaller } from '../testing/gateway-harness.ts';
import { sized } from '../testing/scoreboard-size.ts';
import { addTeam, addTeamCaller, type TestTeam } from '../testing/teams/team-world.ts';
import { type Behaviour, chat } from '../testing/upstream/fake-upstream-scripts.ts';
import { postUntilServed } from '../testing/upstream/post-until-served.ts';

/** 100 tokens in and 100 out at ratio 1 and completion ratio 1. */
const model = 'gpt-4o';
const cost = 200;

/** Answers up to the output limit of the request, as every vendor does. */
const talkative: Behaviour = (exchange) => {
  const output = Math.min(100, Number(exchange.json()['max_tokens']));
  const usage = { prompt_tokens: 100, completion_tokens: output, total_tokens: 100 + output };
  return chat({ chunks: 3, usage })(exchange);
};
const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'word '.repeat(92) }] };

const readEntries = async ({ db }: Store, accountId: number): Promise<number> => {
  const rows = await db
    .selectFrom('ledger')
    .select('account_delta')
    .where('account_id', '=', accountId)
    .execute();
  return rows.reduce((sum, row) => sum + row.account_delta, 0);
};

eachDialect('Q1 overspend of shared wallets', (database) => {
  const one = JSON.stringify({ [model]: 1 });
  const settings = { ModelRatio: one, CompletionRatio: one };
  const { gates, open } = openGatesBeforeEach(database, { models: model, settings });
  beforeEach(async () => {
    // The second process starts with these prices.
    await open();
    for (const gate of gates) gate.upstream.script(talkative);
  });

  /** Calls of each caller in turn, over both processes, many at once; returns the amount served to each in quota units. */
  async function storm(callers: TestCaller[], calls: number, atOnce: number): Promise<number[]> {
    const served = callers.map(() => 0);
    let begun = 0;
    const client = async (): Promise<void> => {
      while (begun < calls) {
        const n = (begun += 1);
        const who = n % callers.length;
        const gate = gates[Math.floor(n / callers.length) % gates.length]!;
        const answer = await postUntilServed(`${gate.url}/v1/chat/completions`, callers[who]!.key, body);
        if (answer.status !== 200) {
          if (answer.status !== 403 && !answer.text.includes('token_exhausted'))
            throw new Error(`answered ${answer.status}: ${answer.text}`);
          continue;
        }
        const { usage } = JSON.parse(answer.text) as { usage: { total_tokens: number } };
        served[who] = (served[who] ?? 0) + usage.total_tokens;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    for (const { core } of gates) await core.ledger.flush();
    return served;
  }

  async function expectTrueBooks(team: TestTeam, start: number, used: number): Promise<void> {
    const gate = gates[0]!;
    expect(await gate.readBalance({ accountId: team.accountId } as TestCaller)).toEqual({
      balance: start - used,
      held: 0,
    });
    expect(await readEntries(gate.core.store, team.accountId)).toBe(start - used);
    expect(await gate.openHolds()).toBe(0);
    expect(await gate.findings()).toEqual([]);
  }

  const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);

  it('is 0 % with 8 members, two processes and a wallet for 20 of 200 calls', async () => {
    const [gate] = gates as [GatewayHarness];
    const start = 20 * cost;
    const team = await addTeam(gate.core, start);
    const callers = await Promise.all(Array.from({ length: 8 }, () => addTeamCaller(gate, team)));
    const served = sum(await storm(callers, 200, 100));
    expect(served).toBe(start);
    await expectTrueBooks(team, start, served);
  }, 120_000);

  it('takes no member beyond their limit, however much the wallet has', async () => {
    const [gate] = gates as [GatewayHarness];
    const start = 1_000 * cost;
    const team = await addTeam(gate.core, start);
    const limits = [1, 3, 5, 10];
    const limited: TestCaller[] = [];
    // Created one after the other, so that the rows below are in this order.
    for (const calls of limits) limited.push(await addTeamCaller(gate, team, calls * cost));
    const free = await addTeamCaller(gate, team);
    const callers = [...limited, free];
    const served = await storm(callers, 200, 60);
    for (const [who, calls] of limits.entries()) expect(served[who]).toBe(calls * cost);
    expect(served[4]).toBe(40 * cost);
    await expectTrueBooks(team, start, sum(served));
    const { db } = gate.core.store;
    const members = await db.selectFrom('team_members').selectAll().orderBy('id').execute();
    expect(members.map((row) => [row.used_quota, row.held])).toEqual(served.map((used) => [used, 0]));
    for (const [who, calls] of limits.entries())
      expect(members[who]!.remain_quota).toBe(calls * cost - served[who]!);
  }, 120_000);
});

eachFleet('the slow path of shared wallets', [2], (open) => {
  it(
    'Q11 lost updates: none among spends of many members in all processes, with transfers, adjustments and limits in between',
    { timeout: 600_000 },
    async () => {
      const fleet = await open();
      const { store, first: ledger } = fleet;
      const processes = [...new Set([ledger, ...fleet.workers])];
      const [spends, others, start] = [sized(4_000, 1_200), sized(150, 45), 100_000_000];
      const team = await addWallet(store, ledger, { balance: start });
      const members = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          addMember(store, ledger, team, {
            own: 10_000,
            limit: n % 2 === 0 ? 50_000_000 : null,
            allowance: n % 3 === 0 ? 60_000_000 : null,
          }),
        ),
      );
      const cost = members.map(() => 0);
      let [moved, adjusted, turn] = [0, 0, 0];
      const spend = async (n: number): Promise<void> => {
        const who = n % members.length;
        const by = processes[n % processes.length]!;
        const id = unique('spend');
        await hold(by, holdRequest(members[who]!, id, 50));
        const settled = await by.settle(bill(members[who]!, id, n % 40));
        cost[who] = (cost[who] ?? 0) + settled.charged;
      };
      const slow = async (n: number): Promise<void> => {
        const member = members[n % members.length]!;
        const by = processes[(n + 1) % processes.length]!;
        const { ownAccountId: own, accountId: wallet, userId, memberId } = member;
        const isIn = n % 3 > 0;
        const [from, to] = isIn ? [own, wallet] : [wallet, own];
        await by.move({ txn: unique('move'), from, to, amount: 10, userId });
        moved += isIn ? 10 : -10;
        const change = { by: n % 2 === 0 ? 9 : -4 };
        const reason = 'scoreboard';
        await by.adjust({ txn: unique('adjust'), accountId: wallet, userId, change, actorId: 1, reason });
        adjusted += change.by;
        if ((n % members.length) % 2 !== 0) return;
        await by.grantLimit({ txn: unique('limit'), memberId, limit: 50_000_000, since: 0, actorId: 1 });
      };
      const worker = async (): Promise<void> => {
        for (let n = turn++; n < spends; n = turn++) {
          await spend(n);
          if (n % Math.floor(spends / others) === 0) await slow(n);
        }
      };
      await Promise.all(Array.from({ length: 60 }, worker));
      await fleet.flush();
      const used = cost.reduce((total, one) => total + one, 0);
      const { balance, held } = await readFigures(store, members[0]!);
      expect({ balance, held }).toEqual({ balance: start + moved + adjusted - used, held: 0 });
      expect(await readEntries(store, team.accountId)).toBe(balance);
      for (const [who, member] of members.entries()) {
        const left = who % 2 === 0 ? 50_000_000 - cost[who]! : -cost[who]!;
        // The limit is set again from the ledger in between, so the rest is exactly the limit less the usage.
        expect(await memberFigures(store, member)).toEqual({ left, held: 0, used: cost[who] });
      }
      expect(await checkBooks(store.db, { atRest: true })).toEqual([]);
    },
  );
});
