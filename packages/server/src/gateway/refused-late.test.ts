import { product } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { lockAccount } from '../services/money/ledger/testing/lock-account.ts';
import { hold, openLedger } from '../services/money/ledger/testing/test-bed.ts';
import { eachServer } from '../store/each-dialect.ts';
import { budgets, type Store } from '../store/index.ts';
import { type GatewayHarness, openGateway } from '../testing/gateway-harness.ts';
import * as faults from '../testing/upstream/fake-upstream-faults.ts';
import { type Behaviour, healthy, modelOf } from '../testing/upstream/fake-upstream-scripts.ts';

// A hold that was granted at once and is refused on the rows (docs/decisions/0028): its call starts again if that may help.

/** Quota units of a call by name. */
const prices = { big: 400, small: 7 };
const room = prices.big * 18;
const balance = 10_000_000;

const callBig = (gate: GatewayHarness, key: string, stream: boolean) =>
  fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'big', stream, messages: [{ role: 'user', content: 'hi' }] }),
  });

eachServer(
  'a budget that names a cheaper model, and refuses the hold of a call that was sent',
  (database) => {
    let gate: GatewayHarness;
    let store: Store;
    beforeAll(async () => {
      await (await database.open()).close();
      gate = await openGateway({ DATABASE_URL: database.url() }, { ledgerBounds: { seenMaxAgeMs: 600_000 } });
      store = await database.openAgain();
      const dollars = Object.entries(prices).map(([name, units]) => [name, units / 500_000]);
      await gate.core.settings.set('ModelPrice', JSON.stringify(Object.fromEntries(dollars)));
      await gate.addChannel({ models: 'big,small' });
    });
    afterAll(() => gate.close());

    const addBudget = (userId: number, { amount = room, ...parts }: Partial<budgets.BudgetRow> = {}) =>
      gate.addBudget(amount, {
        name: 'of the day',
        user_id: userId,
        mode: 'cheaper',
        instead: 'small',
        ...parts,
      });

    /**
     * A call whose hold waits behind a lock while its upstream does `meanwhile`; another process has taken the rest of the
     * budget.
     */
    async function refusedLate(budget: Partial<budgets.BudgetRow>, stream: boolean, meanwhile: Behaviour) {
      gate.upstream.script(healthy());
      const caller = await gate.addCaller({ balance });
      const id = await addBudget(caller.userId, budget);
      await (await callBig(gate, caller.key, stream)).text();
      await gate.core.ledger.flush();
      const person = { ...caller, username: 'u', unlimited: true, memberId: 0 };
      const other = openLedger(store, { node: 'other' });
      const taken = { requestId: `taken-${id}`, amount: room - prices.big, budgets: [id] };
      await hold(other, { ...person, ...taken, channelId: 0, tokenUnlimited: true, request: '{}' });
      const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
      gate.upstream.script(async (exchange) => {
        if (modelOf(exchange) !== 'big') return healthy()(exchange);
        const doing = meanwhile(exchange);
        isAsked();
        await doing;
      });
      const before = gate.upstream.requests.length;
      const unlock = await lockAccount(store, caller);
      const calling = callBig(gate, caller.key, stream);
      await asked;
      await unlock();
      const answer = await calling;
      const said = await answer.text();
      await other.release(taken.requestId);
      await other.close();
      await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
      await gate.checkAtRest();
      return {
        status: answer.status,
        said,
        served: answer.headers.get(product.headers.model),
        models: gate.upstream.requests.slice(before).map((request) => request.json().model),
        spent: balance - (await gate.readBalance(caller)).balance,
        used: (await budgets.find(store.db, id))!.used,
      };
    }

    const meanwhile: [string, Behaviour][] = [
      ['nothing', faults.stallBeforeHeaders()],
      ['a part', faults.stallMidStream(4)],
      ['all', healthy()],
    ];
    it.each(meanwhile.flatMap(([name, does]) => [true, false].map((stream) => ({ name, stream, does }))))(
      'continues with that model after the upstream has sent $name (stream: $stream)',
      async ({ stream, does }) => {
        const got = await refusedLate({}, stream, does);
        expect(got).toMatchObject({
          status: 200,
          served: 'small',
          models: ['big', 'small'],
          spent: prices.big + prices.small,
          used: prices.big,
        });
        // Nothing of the first answer is left.
        expect(got.said.match(/word0/g)).toHaveLength(1);
        expect(got.said).not.toContain('"big"');
      },
    );

    it('refuses it like a hard one if no channel has that model', async () => {
      const got = await refusedLate({ instead: 'nowhere' }, false, healthy());
      expect(got).toMatchObject({ status: 403, models: ['big'], spent: prices.big, used: prices.big });
      expect(got.said).toContain('of the day');
    });
  },
);

eachServer('credit of another process that has expired since the balance was read', (database) => {
  it.each([true, false])('refuses no call that the balance covers (stream: %s)', async (stream) => {
    await (await database.open()).close();
    const gate = await openGateway(
      { DATABASE_URL: database.url() },
      { ledgerBounds: { seenMaxAgeMs: 600_000 } },
    );
    onTestFinished(() => gate.close());
    const store = await database.openAgain();
    await gate.core.settings.set('ModelPrice', JSON.stringify({ big: prices.big / 500_000 }));
    await gate.addChannel({ models: 'big' });
    const caller = await gate.addCaller({ balance });
    const call = () => callBig(gate, caller.key, stream);
    await (await call()).text();
    await gate.core.ledger.flush();
    const other = openLedger(store, { node: 'other', clock: Date.now });
    const { accountId, userId } = caller;
    const expiresAt = Math.floor(Date.now() / 1_000) + 1;
    await other.credit({
      txn: 'dated',
      kind: 'redeem',
      accountId,
      userId,
      amount: 50,
      terms: { expiresAt },
    });
    await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(expiresAt * 1_000);
    const answer = await call();
    expect(answer.status).toBe(200);
    expect((await answer.text()).match(/word0/g)).toHaveLength(1);
    await other.close();
    await gate.core.ledger.flush();
    expect(await gate.openHolds()).toBe(0);
    expect((await gate.readBalance(caller)).balance).toBe(balance - 2 * prices.big);
    expect(await gate.findings()).toEqual([]);
  });
});
