import { alarmApi, auditApi, type AuditPage, role } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
});
afterAll(() => house.close());

it('root adds and removes services of alarms; their secrets are in no answer, no row and no audit', async () => {
  const root = await house.person('root', { role: role.root });
  const address = 'https://hooks.slack.example/services/T0/B0/hush-hush';
  const add = (place: object) => root.call(alarmApi.addPlace, { service: 'Slack', address, ...place });
  const { id } = (await add({ name: 'on-call' })).body.data as { id: number };
  expect(await root.must(alarmApi.places, {})).toEqual([
    { id, service: 'Slack', name: 'on-call', host: 'hooks.slack.example', receiver: '' },
  ]);
  const rows = await house.core.store.db.selectFrom('alarm_places').selectAll().execute();
  const { items } = (await root.must(auditApi.list, { kind: 'alarm.add' })) as AuditPage;
  expect(items).toMatchObject([{ target_name: 'on-call' }]);
  expect(JSON.stringify([rows, items])).not.toContain('hush');

  const codeOf = async (place: object) => (await add(place)).body.code;
  expect(await codeOf({ address: 'hooks.example' })).toBe('alarm_address_malformed');
  expect(await codeOf({ service: 'Telegram', secret: 'x' })).toBe('alarm_place_incomplete');
  for (let count = 1; count < 20; count += 1) await add({});
  expect(await codeOf({})).toBe('alarm_places_full');

  await root.must(alarmApi.removePlace, { id });
  expect((await root.call(alarmApi.removePlace, { id })).body.code).toBe('row_not_found');
  expect(await root.must(alarmApi.places, {})).toHaveLength(19);
});
