import {
  auditApi,
  type AuditPage,
  type ChannelData,
  channelApi,
  replacementApi,
  role,
  type ServingChannel,
} from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

/** Retires on 2026-12-11, with a successor in the model data. */
const model = 'gpt-5';
const successor = 'gpt-6.1-sol';

let house: House;
let admin: Agent;
beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
  admin = await house.person('admin', { role: role.admin });
});
afterAll(() => house.close());

const add = async (name: string, fields: object = {}) => {
  const form = { type: 1, name, key: `sk-${name}`, models: `${model},gpt-4o`, group: 'default', ...fields };
  const [made] = (await admin.must(channelApi.create, form)) as ChannelData[];
  return made!.id;
};
const mappingOf = async (id: number): Promise<unknown> => {
  const { model_mapping: text } = (await admin.must(channelApi.get, { id })) as ChannelData;
  return text === '' ? {} : (JSON.parse(text) as unknown);
};
const find = (input: object = {}) =>
  admin.must(replacementApi.find, { model, ...input }) as Promise<{
    successor: string;
    channels: ServingChannel[];
    prices: { model: { model_ratio: number }; by: { model_name: string } | null };
    list_prices: { model: string }[];
  }>;

it('a retiring model is replaced by mapping on each channel that uses it, with an audit row, and back', async () => {
  const plain = await add('plain');
  const renamed = await add('renamed', {
    model_mapping: '{"gpt-5":"gpt-5-mini","gpt-4o":"own"}',
    setting: '{"price_after_mapping":true}',
    status: 2,
  });
  const safe = await add('safe', { model_mapping: '{"gpt-5":"gpt-5.2"}' });
  await add('other', { models: 'gpt-5-mini' });

  const found = await find();
  expect(found.successor).toBe(successor);
  expect(found.channels).toEqual([
    {
      id: plain,
      name: 'plain',
      enabled: true,
      from: '',
      upstream: model,
      ends: '2026-12-11',
      priced_after_mapping: false,
    },
    {
      id: renamed,
      name: 'renamed',
      enabled: false,
      from: 'gpt-5-mini',
      upstream: 'gpt-5-mini',
      ends: '2026-12-11',
      priced_after_mapping: true,
    },
  ]);
  expect(found.prices).toMatchObject({ model: { model_ratio: 0.625 }, by: { model_name: successor } });
  expect((await find({ by: 'gpt-4o' })).prices.by).toMatchObject({ model_name: 'gpt-4o' });

  const changes = found.channels.map(({ id, from }) => ({ id, from, to: successor }));
  expect(await admin.must(replacementApi.replace, { model, channels: changes })).toEqual([plain, renamed]);
  expect(await mappingOf(plain)).toEqual({ [model]: successor });
  expect(await mappingOf(renamed)).toEqual({ [model]: successor, 'gpt-4o': 'own' });
  expect(await mappingOf(safe)).toEqual({ [model]: 'gpt-5.2' });
  expect((await find()).channels).toEqual([]);
  expect(house.core.routing.modelsOf('default')).toContain(model);

  const root = await house.person('owner', { role: role.root });
  const { items } = (await root.must(auditApi.list, { kind: 'channel.replace' })) as AuditPage;
  expect(items.map(({ target_name: name }) => name).toSorted()).toEqual(['plain', 'renamed']);

  // A channel that another operator changed meanwhile stays as it is.
  await admin.must(channelApi.update, { id: plain, model_mapping: '{"gpt-5":"gpt-5.2"}' });
  const undo = changes.map(({ id, from, to }) => ({ id, from: to, to: from }));
  expect(await admin.must(replacementApi.replace, { model, channels: undo })).toEqual([renamed]);
  expect(await mappingOf(plain)).toEqual({ [model]: 'gpt-5.2' });
  expect(await mappingOf(renamed)).toEqual({ [model]: 'gpt-5-mini', 'gpt-4o': 'own' });
});

it('a replacement that would map in a circle changes no channel', async () => {
  const first = await add('first');
  const circle = await add('circle', { model_mapping: '{"loop":"gpt-5"}' });
  const channels = [first, circle].map((id) => ({ id, from: '', to: 'loop' }));
  const { body } = await admin.call(replacementApi.replace, { model, channels });
  expect(body).toMatchObject({ success: false, code: 'channel_mapping_cycle' });
  expect(await mappingOf(first)).toEqual({});
});
