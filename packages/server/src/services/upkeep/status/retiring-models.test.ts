import { channelInput } from '@tollgate/contract';
import { expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { closeCore, openCore } from '../../../boot/site.ts';
import { readEnv } from '../../../boot/env.ts';
import { announceRetiring, createAlarmFinder } from './index.ts';

const day = 86_400;
/** A model in the data, and the day on which it ends. */
const model = 'gpt-4.1-2025-04-14';
const ends = '2027-01-14';

eachDialect('a model that its vendor shuts down', ({ open, url }) => {
  it('is an alarm while a channel sends calls to it, and one notice to each who used it', async () => {
    await open();
    let ms = Date.parse(ends) - 60 * day * 1_000;
    const core = await openCore(
      readEnv({ DATABASE_URL: url(), LOG_LEVEL: 'silent', SECRET_KEY: 'k'.repeat(32) }),
      () => ms,
    );
    const { db } = core.store;
    const notices: [number, string][] = [];
    const notifier = {
      modelsRetire: (userId: number, models: readonly { model: string; ends: string }[]) =>
        void notices.push(...models.map((each): [number, string] => [userId, `${each.model} ${each.ends}`])),
    };
    const announce = () => announceRetiring({ db, notifier, clock: core.clock });
    const alarms = async () => {
      const margins = { sums: () => Promise.resolve({ rows: [], total: {} as never, truncated: false }) };
      const { model_retires: found } = await createAlarmFinder({
        ...core,
        db,
        margins,
        databaseFile: undefined,
      })();
      return found;
    };
    const used = (ref: number, name: string, daysAgo: number) =>
      db
        .insertInto('log_hours')
        .values({
          kind: 7,
          ref,
          name,
          hour: Math.floor(ms / 1_000) - daysAgo * day,
          gone: 0,
          quota: 1,
          team_quota: 0,
          refunded: 0,
          team_refunded: 0,
        })
        .execute();
    const fields = { type: 1, name: 'one', key: 'sk-one', models: `${model},gpt-4o`, group: 'default' };
    const [channel] = await core.channels.create(channelInput.parse(fields));
    const { id } = channel!;

    // Too early.
    await announce();
    expect([await alarms(), notices]).toEqual([[], []]);

    ms = Date.parse(ends) - 20 * day * 1_000;
    await used(1, model, 29);
    await used(1, model, 3);
    await used(2, model, 40);
    await used(3, 'gpt-4o', 1);
    await announce();
    await announce();
    expect(notices).toEqual([[1, `${model} ${ends}`]]);
    expect(await alarms()).toEqual([{ subject: model, name: model, detail: ends }]);

    // A later user is told too, a day later, and nobody twice.
    ms += day * 1_000;
    await used(4, model, 0);
    await announce();
    expect(notices.slice(1)).toEqual([[4, `${model} ${ends}`]]);

    await core.channels.update({ id, model_mapping: JSON.stringify({ [model]: 'gpt-4o' }) });
    expect(await alarms()).toEqual([]);
    await core.channels.update({ id, model_mapping: '' });
    const [other] = await core.channels.create(
      channelInput.parse({ ...fields, name: 'other', model_mapping: JSON.stringify({ [model]: 'gpt-4o' }) }),
    );
    expect(await alarms(), 'it stays at one channel').toEqual([]);
    await core.channels.update({ id: other!.id, status: 2 });
    expect(await alarms()).toHaveLength(1);
    await closeCore(core);
  }, 60_000);
});
