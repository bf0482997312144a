import { expect, it } from 'vitest';
import { eachDialect } from '../each-dialect.ts';
import { add, type ChannelMinute, emptyCounts, removeBefore, sums } from './channel-minutes.ts';

const row = (given: Partial<ChannelMinute>): ChannelMinute => ({
  minute: 6_000,
  channel_id: 1,
  key_id: '',
  model: 'm',
  ...emptyCounts(),
  ...given,
});

eachDialect('the minutes of channels', ({ open }) => {
  it('add up over processes, keys and minutes, bucket by bucket; old ones go', async () => {
    const { db } = await open();
    await Promise.all([
      add(db, [row({ succeeded: 2, first_3: 2 }), row({ key_id: 'k1', limited: 1 })]),
      add(db, [
        row({ succeeded: 5, first_3: 4, first_4: 1 }),
        row({ minute: 6_060, succeeded: 1, whole_24: 1 }),
      ]),
    ]);
    await add(db, [row({ channel_id: 0, succeeded: 8 }), row({ minute: 5_940, succeeded: 100 })]);
    await removeBefore(db, 6_000);
    expect(await sums(db, ['channel_id'], { since: 0, step: 300 })).toEqual([
      {
        channel_id: 1,
        at: 6_000,
        ...emptyCounts(),
        succeeded: 8,
        limited: 1,
        first_3: 6,
        first_4: 1,
        whole_24: 1,
      },
    ]);
    const keys = await sums(db, ['channel_id', 'key_id'], { since: 6_000, step: 60, channel: 1 });
    expect(
      keys
        .map(({ key_id: key, at, succeeded }) => `${key} ${at} ${succeeded}`)
        .toSorted((a, b) => a.localeCompare(b)),
    ).toEqual([' 6000 7', ' 6060 1', 'k1 6000 0']);
    expect(await sums(db, ['model'], { since: 0, step: 3_600, channel: 0 })).toMatchObject([
      { succeeded: 8 },
    ]);
  });
});
