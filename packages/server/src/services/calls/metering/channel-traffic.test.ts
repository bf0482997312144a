import { beforeEach, describe, expect, it } from 'vitest';
import { logs, migrate, openStore, type Store } from '../../../store/index.ts';
import { logRow } from '../../../testing/log-row.ts';
import { createChannelTraffics } from './index.ts';

const busy = { reason: 'upstream_saturated', status: 429 };

/** A log row's data about its attempts, with other fields as given. */
const other = (tries: object[], rest: object = {}) =>
  JSON.stringify({ frt: 100, end_reason: 'complete', ...rest, admin_info: { tries } });

describe('the traffic of channels', () => {
  let store: Store;
  const since = async (start: number, isLogged = true) => {
    const traffics = createChannelTraffics({ reports: store.reports, errorsLogged: () => isLogged });
    const { since: from, channels } = await traffics.since(start);
    return { since: from, channels: Object.fromEntries(channels) };
  };
  const add = (...rows: Parameters<typeof logRow>[0][]) => logs.insert(store.db, rows.map(logRow));

  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    return () => store.close();
  });

  it('counts each attempt on its channel, and the waiting time of answers without a failed attempt', async () => {
    await add(
      { other: other([{ channelId: 3, ms: 900 }], { frt: 700 }) },
      { other: other([{ channelId: 3, ms: 900 }], { frt: 300 }), created_at: 1_200 },
      // Failover: the first channel fails, the second answers. Its wait includes that of the first.
      {
        other: other(
          [
            { channelId: 3, ms: 20, ...busy },
            { channelId: 4, ms: 50 },
          ],
          { frt: 9_000 },
        ),
        created_at: 1_300,
      },
      { type: 5, quota: 0, other: other([{ channelId: 4, ms: 20, ...busy }]) },
    );
    expect(await since(0)).toEqual({
      since: 0,
      channels: {
        3: { tries: 3, failed: 1, first_byte_ms: 700, answered_time: 1_200 },
        4: { tries: 2, failed: 1, first_byte_ms: null, answered_time: 1_300 },
      },
    });
  });

  it('counts an answer that broke off as a failure, and one whose caller left as none', async () => {
    await add(
      { other: other([{ channelId: 3, ms: 1 }], { end_reason: 'upstream_broken' }) },
      { other: other([{ channelId: 3, ms: 1 }], { end_reason: 'upstream_error' }) },
      { other: other([{ channelId: 3, ms: 1 }], { end_reason: 'client_gone' }) },
    );
    expect((await since(0)).channels).toMatchObject({ 3: { tries: 3, failed: 2 } });
  });

  it('does not count a channel that lacked support, and takes no more from a row than it has', async () => {
    await add(
      {
        other: other([
          { channelId: 3, ms: 0, reason: 'cannot_translate', status: 400 },
          { channelId: 4, ms: 9 },
        ]),
      },
      // Rows of other programs, of top-ups, and of calls that reached no channel.
      { other: '' },
      { other: '{"admin_info":{"use_channel":["3"]}}' },
      { other: '{"admin_info":{"tries":[{"channelId":"3"},7]}}' },
      { type: 1, other: other([{ channelId: 3, ms: 1 }]) },
      { type: 5, other: other([]) },
    );
    const { channels } = await since(0);
    expect(channels).toMatchObject({ 4: { tries: 1, failed: 0 } });
    expect(Object.keys(channels)).toEqual(['4']);
  });

  it('has no success rate where failed calls are not logged', async () => {
    await add({ other: other([{ channelId: 3, ms: 1 }]) });
    expect(await since(0, false)).toEqual({ since: 0, channels: {} });
  });

  it('begins at the requested time', async () => {
    await add(
      { created_at: 999, other: other([{ channelId: 3, ms: 1 }]) },
      { created_at: 1_000, other: other([{ channelId: 4, ms: 1 }]) },
    );
    const { since: from, channels } = await since(1_000);
    expect([from, Object.keys(channels)]).toEqual([1_000, ['4']]);
  });

  it('of many calls counts the newest, and returns since when', async () => {
    await add(
      ...Array.from({ length: 2_100 }, (_, index) => ({
        created_at: 1_000 + index,
        other: other([{ channelId: 3, ms: 1 }]),
      })),
    );
    expect(await since(0)).toMatchObject({ since: 1_100, channels: { 3: { tries: 2_000 } } });
  });
});
