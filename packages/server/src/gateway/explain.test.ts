import { product, type RouteStep } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';

let gate: GatewayHarness;
let admin: TestCaller;
beforeEach(async () => {
  gate = await openGateway();
  admin = await gate.addCaller({ role: 10 });
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

const header = product.headers.explain;
const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] };

const send = (
  caller: TestCaller,
  headers: Record<string, string>,
  fields: object = {},
  path = '/v1/chat/completions',
) =>
  fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...body, ...fields }),
  });

it('an administrator’s call reports the channel that served and why others did not', async () => {
  const served = await gate.addChannel({ name: 'served', priority: 5 });
  const lower = await gate.addChannel({ name: 'lower' });
  const elsewhere = await gate.addChannel({ name: 'elsewhere', group: 'vip' });
  for (const stream of [false, true]) {
    const answer = await send(admin, { [header]: '1' }, { stream });
    await answer.text();
    expect(answer.headers.get(header)).toBe(
      `served=${served}; in=${served}:1; out=${lower}:lower_priority,${elsewhere}:other_group`,
    );
  }
  const user = await gate.addCaller();
  const unexplained = await send(user, { [header]: '1' });
  await unexplained.text();
  expect(unexplained.headers.get(header)).toBeNull();
});

it('a channel at a limit of its own is passed by, and the explanation says so', async () => {
  const limits = { requests_per_minute: 1 };
  const limited = await gate.addChannel({
    name: 'limited',
    priority: 5,
    setting: JSON.stringify({ limits }),
  });
  const other = await gate.addChannel({ name: 'other' });
  const explained: (string | null)[] = [];
  for (let call = 0; call < 2; call += 1) {
    const answer = await send(admin, { [header]: '1' });
    await answer.text();
    explained.push(answer.headers.get(header));
  }
  expect(explained).toEqual([
    `served=${limited}; in=${limited}:1; out=${other}:lower_priority`,
    `served=${other}; in=${other}:1; out=${limited}:at_limit`,
  ]);
});

it('a retried call names the channels before the one that served', async () => {
  await gate.core.settings.set('RetryTimes', '1');
  const first = await gate.addChannel({ name: 'first', priority: 5 });
  const second = await gate.addChannel({ name: 'second' });
  gate.upstream.next('refuse-500');
  const answer = await send(admin, { [header]: '1' });
  await answer.text();
  expect(answer.headers.get(header)).toBe(
    `served=${second}; after=${first}; in=${first}:1; out=${second}:lower_priority`,
  );
});

it('a call without a channel says why each one is out', async () => {
  const elsewhere = await gate.addChannel({ group: 'vip' });
  const answer = await send(admin, { [header]: '1' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get(header)).toBe(`in=; out=${elsewhere}:other_group`);
});

it('a dry run answers the choice and calls, holds and charges nothing', async () => {
  const channel = await gate.addChannel();
  await gate.core.settings.set('ModelFallbacks', JSON.stringify({ 'gpt-4o-mini': ['gpt-4o'] }));
  const answer = await send(admin, { [header]: 'dry', 'idempotency-key': 'one' });
  const { steps, ...rest } = (await answer.json()) as { steps: RouteStep[] };
  expect(rest).toEqual({ object: 'route', group: 'default' });
  expect(steps.map(({ model, serves }) => [model, serves])).toEqual([
    ['gpt-4o-mini', true],
    ['gpt-4o', false],
  ]);
  expect(steps[0]!.channels).toMatchObject([{ channel, odds: 1, reason: null }]);
  expect(gate.upstream.requests).toHaveLength(0);
  expect(await gate.readBalance(admin)).toEqual({ balance: 5_000_000, held: 0 });
});

it('a key that selects a channel leaves no choice', async () => {
  await gate.addChannel();
  const selected = await gate.addChannel();
  const pinned = { ...admin, key: `${admin.key}-${selected}` };
  const { steps } = (await (await send(pinned, { [header]: 'dry' })).json()) as { steps: RouteStep[] };
  expect(
    steps[0]!.channels.map(({ odds, reason }) => `${odds} ${reason}`).toSorted((a, b) => a.localeCompare(b)),
  ).toEqual(['0 not_selected', '1 null']);
});

it.each([
  ['of other users, who would not expect a charge', '/v1/chat/completions', 1, 403],
  ['where there is nothing to explain', '/v1/videos', 10, 501],
])('a dry run is refused %s', async (_what, path, role, status) => {
  await gate.addChannel();
  const caller = await gate.addCaller({ role });
  expect((await send(caller, { [header]: 'dry' }, {}, path)).status).toBe(status);
  expect(gate.upstream.requests).toHaveLength(0);
});
