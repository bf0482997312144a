import { beforeEach, describe, expect, it } from 'vitest';
import { logs, migrate, openStore, type Store } from '../../store/index.ts';
import { createChannelTraffics } from './index.ts';

const base = {
  user_id: 11,
  created_at: 1_000,
  type: 2,
  content: '',
  username: 'ann',
  token_name: 'main',
  model_name: 'gpt-4o',
  quota: 5,
  prompt_tokens: 3,
  completion_tokens: 4,
  use_time: 1,
  is_stream: 1,
  channel_id: 1,
  token_id: 1,
  group: 'default',
  other: '{}',
  request_id: 'r',
  team_id: 0,
  cost: null,
};

const busy = { reason: 'upstream_saturated', status: 429 };

/** What a row says of its tries, and whatever else is given. */
const other = (tries: object[], rest: object = {}) =>
  JSON.stringify({ frt: 100, end_reason: 'complete', ...rest, admin_info: { tries } });

describe('how calls went on channels', () => {
  let store: Store;
  const since = (start: number, isLogged = true) =>
    createChannelTraffics({ reports: store.reports, errorsLogged: () => isLogged }).since(start);
  const add = (...rows: Partial<typeof base>[]) =>
    logs.insert(
      store.db,
      rows.map((row) => ({ ...base, ...row })),
    );

  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    return () => store.close();
  });

  it('counts each try where it was made, and waits for the answers that nobody failed before', async () => {
    await add(
      { other: other([{ channelId: 3, ms: 900 }], { frt: 700 }) },
      { other: other([{ channelId: 3, ms: 900 }], { frt: 300 }), created_at: 1_200 },
      // Failed over: the first channel's failure, the second one's answer, whose wait includes the other's.
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
      channels: [
        { channel: 3, tries: 3, failed: 1, first_byte_ms: 700, answered_time: 1_200 },
        { channel: 4, tries: 2, failed: 1, first_byte_ms: null, answered_time: 1_300 },
      ],
    });
  });

  it('counts an answer that broke off as a failure, and one whose caller left as none', async () => {
    await add(
      { other: other([{ channelId: 3, ms: 1 }], { end_reason: 'upstream_broken' }) },
      { other: other([{ channelId: 3, ms: 1 }], { end_reason: 'upstream_error' }) },
      { other: other([{ channelId: 3, ms: 1 }], { end_reason: 'client_gone' }) },
    );
    expect((await since(0)).channels).toMatchObject([{ channel: 3, tries: 3, failed: 2 }]);
  });

  it('holds nothing against a channel that was only of another kind, and reads no more into a row than it says', async () => {
    await add(
      {
        other: other([
          { channelId: 3, ms: 0, reason: 'cannot_translate', status: 400 },
          { channelId: 4, ms: 9 },
        ]),
      },
      // Rows of other programs, of top-ups, of calls that reached no channel.
      { other: '' },
      { other: '{"admin_info":{"use_channel":["3"]}}' },
      { other: '{"admin_info":{"tries":[{"channelId":"3"},7]}}' },
      { type: 1, other: other([{ channelId: 3, ms: 1 }]) },
      { type: 5, other: other([]) },
    );
    expect((await since(0)).channels).toMatchObject([{ channel: 4, tries: 1, failed: 0 }]);
  });

  it('claims nothing where failed calls are not logged: the others alone would look like health', async () => {
    await add({ other: other([{ channelId: 3, ms: 1 }]) });
    expect(await since(0, false)).toEqual({ since: 0, channels: [] });
  });

  it('begins at the moment that is asked for', async () => {
    await add(
      { created_at: 999, other: other([{ channelId: 3, ms: 1 }]) },
      { created_at: 1_000, other: other([{ channelId: 4, ms: 1 }]) },
    );
    expect(await since(1_000)).toMatchObject({ since: 1_000, channels: [{ channel: 4 }] });
  });

  it('of many calls counts the newest, and says since when', async () => {
    await add(
      ...Array.from({ length: 2_100 }, (_, index) => ({
        created_at: 1_000 + index,
        other: other([{ channelId: 3, ms: 1 }]),
      })),
    );
    expect(await since(0)).toMatchObject({ since: 1_100, channels: [{ tries: 2_000 }] });
  });
});
