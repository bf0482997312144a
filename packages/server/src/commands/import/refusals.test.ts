/** @module-tag deep */
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { holdOpen } from '../../store/foreign/hold-open.ts';
import { writeForeign } from '../../store/foreign/write-foreign.ts';
import { migrate, openStore, options, users } from '../../store/index.ts';
import { imported, MovingDesk, runCommand } from '../../testing/moving-in/importing.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

/** The old site with one change. */
async function changed(statement: string): Promise<string> {
  const file = await desk.oldFile('new-api');
  await writeForeign(`sqlite:${file}`, [statement]);
  return file;
}

it('lists what no price can be, and leaves its model without one', async () => {
  const from = await changed(
    `update options set value = '{"gpt-4o":-1,"gpt-4o-mini":0.075}' where key = 'ModelRatio'`,
  );
  const report = await imported(desk.place(), { from });
  expect(report.pricesRefused).toEqual([{ key: 'ModelRatio', model: 'gpt-4o', value: '-1' }]);
  expect(report.unpriced).toContain('gpt-4o');
});

describe('is refused by name:', () => {
  it.for([
    ['an old version of one-hub', 'create table channels (id integer, plugin text)'],
    ["Laisky's one-api", 'create table user_request_costs (id integer)'],
    ['Tollgate itself', 'create table ledger (account_delta integer)'],
    ['none of the programs that can be imported', 'create table things (id integer)'],
  ] as const)('a database of %s', async ([name, statement]) => {
    const from = `${desk.place('foreign')}.db`;
    await writeForeign(`sqlite:${from}`, [statement]);
    await expect(imported(desk.place(), { from })).rejects.toThrow(name);
  });

  it('a command that says nothing, or something unknown', async () => {
    const silent = await runCommand(desk.place(), []);
    expect(silent).toMatchObject({ code: 1, out: '' });
    expect(silent.err).toContain('say where from');
    await expect(imported(desk.place(), { from: join(desk.root, 'nothing.db') })).rejects.toThrow(
      'there is no file',
    );
  });

  it('a source that another process has open, unless that is asked for', async () => {
    const from = await desk.oldFile('new-api');
    const other = await holdOpen(from);
    await expect(imported(desk.place(), { from })).rejects.toThrow('stop the old program first');
    const report = await imported(desk.place(), { from, isLive: true, dryRun: true });
    expect(report.counts).not.toEqual([]);
    other.kill('SIGKILL');
    await once(other, 'exit');
    expect((await imported(desk.place(), { from })).counts).not.toEqual([]);
  });

  it.for([
    [`update options set value = '{"vip":-1}' where key = 'GroupRatio'`, 'GroupRatio cannot be taken'],
    [`update options set value = 'no table' where key = 'ModelRatio'`, 'ModelRatio cannot be taken'],
    [`update two_fas set secret = '!' where id = 1`, 'the second factor of user 2'],
    ['update users set quota = 9007199254740993 where id = 2', 'too large'],
    [`update users set quota = 1.5 where id = 2`, 'users.quota of row 2 is not a whole number'],
  ] as const)('money or a protection that would be lost: %s', async ([statement, words]) => {
    const dataDir = desk.place();
    await expect(imported(dataDir, { from: await changed(statement) })).rejects.toThrow(words);
  });

  it('a Tollgate with people of its own', async () => {
    const dataDir = desk.place();
    const store = await openStore({ url: '', dataDir });
    await migrate(store);
    for (const username of ['one', 'two'])
      await users.create(store.db, { account_id: 1, username, created_time: 1 });
    const from = await desk.oldFile('new-api');
    await expect(imported(dataDir, { from })).rejects.toThrow('stop Tollgate first');
    await store.close();
    await expect(imported(dataDir, { from })).rejects.toThrow('Tollgate has users already');
    await expect(imported(dataDir, { from, dryRun: true })).rejects.toThrow('Tollgate has users already');
  });

  it('a Tollgate where a dollar has another number of units', async () => {
    const dataDir = desk.place();
    const store = await openStore({ url: '', dataDir });
    await migrate(store);
    await options.put(store.db, 'QuotaPerUnit', '1000000');
    await store.close();
    await expect(imported(dataDir, { from: await desk.oldFile('new-api') })).rejects.toThrow('QuotaPerUnit');
  });

  it('another state of a source, or another source, than was imported', async () => {
    const dataDir = desk.place();
    const from = await desk.oldFile('new-api');
    await imported(dataDir, { from });
    await writeForeign(`sqlite:${from}`, ['update users set quota = quota + 1 where id = 2']);
    const words = 'holds an import from new-api';
    await expect(imported(dataDir, { from })).rejects.toThrow(words);
    await expect(imported(dataDir, { from, dryRun: true })).rejects.toThrow(words);
    await expect(imported(dataDir, { from: await desk.oldFile('one-api') })).rejects.toThrow(words);
  });
});
