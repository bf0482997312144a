import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alarmApi, channelInput, role } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RelayError } from '../../../relay/types/index.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';
import { createAlarmFinder } from './find-alarms.ts';

let house: House;
let folder: string;
beforeAll(async () => {
  house = await openHouse({ routes: operatorCalls });
  folder = await mkdtemp(join(tmpdir(), 'tollgate-alarms-'));
});
afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true });
});

const loss = {
  id: 1,
  name: 'main',
  calls: 3,
  charge: 0,
  cost: 500_000,
  margin: -500_000,
  unknown_calls: 0,
  unknown_charge: 0,
};

it('operators are warned of each cause while it lasts; a loss is for root alone', async () => {
  const { core } = house;
  const add = async (name: string): Promise<number> => {
    const fields = { type: 1, name, key: `sk-${name}`, models: 'gpt-4o', group: 'default' };
    return (await core.channels.create(channelInput.parse(fields)))[0]!.id;
  };
  const [off, poor, failing] = [await add('off'), await add('poor'), await add('failing')];
  await core.channels.autoDisable(off, 'invalid key');
  await core.channels.noteBalance(poor, 4.5);
  const broken = new RelayError({
    status: 502,
    code: 'upstream_unreachable',
    message: 'no',
    blame: 'channel',
  });
  for (let call = 0; call < 20; call += 1) core.attempts.attempted({ id: failing }, 'gpt-4o', broken);
  await core.attempts.flush();
  const file = join(folder, 'tollgate.db');
  await writeFile(file, '');
  const total = { ...loss, name: '' };
  const find = createAlarmFinder({
    ...core,
    db: core.store.db,
    margins: { sums: async () => ({ rows: [loss], total, truncated: false }) },
    databaseFile: file,
  });
  const { disk_low: _disk, model_retires: _retiring, ...found } = await find();
  expect(found).toEqual({
    channel_off: [{ subject: String(off), name: 'off', detail: 'invalid key' }],
    channel_failing: [{ subject: String(failing), name: 'failing', detail: '100 %' }],
    balance_low: [{ subject: String(poor), name: 'poor', detail: '4.50' }],
    margin_negative: [{ subject: '1', name: 'main', detail: '$1.00' }],
  });

  await core.alarms.sync(found);
  const root = await house.person('root', { role: role.root });
  const admin = await house.person('admin', { role: role.admin });
  const causes = async (agent: typeof root): Promise<string[]> =>
    ((await agent.must(alarmApi.list, {})) as { cause: string }[]).map(({ cause }) => cause).toSorted();
  expect(await causes(root)).toEqual(Object.keys(found).toSorted());
  expect(await causes(admin)).not.toContain('margin_negative');

  expect((await admin.call(alarmApi.test, {})).body.code).toBe('insufficient_role');
  expect(await root.must(alarmApi.test, {}), 'no way is set up').toEqual([]);

  await core.channels.autoEnable(off);
  await core.alarms.sync(await find());
  expect(await causes(root)).not.toContain('channel_off');
});
