import { channelApi, role, type RouteExplanation, routingApi } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
});
afterAll(() => house.close());

it('the choice of a call is explained for a model, group, key and input', async () => {
  const admin = await house.person('admin', { role: role.admin });
  const add = (fields: object) =>
    admin.must(channelApi.create, {
      type: 1,
      name: 'one',
      key: `sk-${JSON.stringify(fields)}`,
      models: 'gpt-4o-mini',
      group: 'default',
      ...fields,
    });
  await add({ name: 'short', max_input_tokens: 100 });
  await add({ name: 'long' });
  await add({ name: 'unpriced', models: 'nameless' });
  const explain = async (input: object) =>
    (await admin.must(routingApi.explain, {
      model: 'gpt-4o-mini',
      group: 'default',
      ...input,
    })) as RouteExplanation;
  const shown = ({ steps }: RouteExplanation) =>
    steps[0]?.channels.map(({ name, odds, reason }) => [name, odds, reason]);

  expect(shown(await explain({}))).toEqual([
    ['short', 0.5, null],
    ['long', 0.5, null],
    ['unpriced', 0, 'other_model'],
  ]);
  expect(shown(await explain({ input_tokens: 500 }))?.slice(0, 2)).toEqual([
    ['long', 1, null],
    ['short', 0, 'too_long'],
  ]);
  const [tried] = (await explain({})).steps[0]!.channels;
  expect(shown(await explain({ tried: [tried!.channel] }))?.at(0)).toEqual(['long', 1, null]);
  expect(shown(await explain({ model: 'nameless' }))).toContainEqual(['unpriced', 0, 'unpriced']);

  expect(await explain({ token: 999 })).toMatchObject({
    refusal: '无效的令牌',
    steps: [],
  });
});
