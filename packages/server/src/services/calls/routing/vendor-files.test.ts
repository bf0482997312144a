import { expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { createLog } from '../../../lib/log.ts';
import { createStoredResponses } from './stored-responses.ts';
import { createVendorFiles } from './vendor-files.ts';

const at = { id: 1, keyId: '' };
const api = 'openai' as const;

eachDialect('files that vendors keep', ({ open }) => {
  it('reserve their bytes so that uploads at once never exceed the limit together', async () => {
    const { db } = await open();
    const files = createVendorFiles({ db, clock: () => 1_000_000, maxUserBytes: 1_000 });
    for (let round = 0; round < 5; round += 1) {
      const uploads = Array.from({ length: 8 }, (_, index) => ({
        userId: 1,
        requestId: `${round} ${index}`,
        api,
      }));
      const taken = await Promise.all(uploads.map((upload) => files.reserve(upload, at, 300)));
      expect(taken.filter(Boolean).length).toBeLessThanOrEqual(3);
      const other = { userId: 2, requestId: `${round} other`, api };
      expect(await files.reserve(other, at, 1_000)).toBe(true);
      for (const upload of [...uploads, other]) await files.drop(upload);
      expect(await db.selectFrom('vendor_objects').selectAll().execute()).toEqual([]);
    }
  });

  it('are those of their user, by ids that differ in case', async () => {
    const { db } = await open();
    let now = 1_000_000;
    const files = createVendorFiles({ db, clock: () => now, maxUserBytes: 1_000 });
    const keep = async (userId: number, id: string, place = at, more = {}) => {
      const upload = { userId, requestId: id, api };
      expect(await files.reserve(upload, place, 10)).toBe(true);
      await files.keep(upload, { id, purpose: 'user_data', ...more }, 5);
    };
    await keep(1, 'file-a');
    await keep(1, 'file-A', { id: 2, keyId: 'k' });
    await keep(2, 'file-b');
    expect(await files.find(1, 'file-a')).toMatchObject(at);
    expect(await files.find(1, 'file-A')).toMatchObject({ id: 2, keyId: 'k' });
    expect(await files.find(1, 'file-b')).toBeUndefined();
    expect(await files.findAll(1, ['file-x'])).toBeUndefined();
    expect(await files.findAll(1, ['file-x', 'file-a'])).toMatchObject(at);
    expect(await files.findAll(1, ['file-a', 'file-b'])).toMatchObject({ missing: 'file-b' });
    expect(await files.findAll(1, ['file-a', 'file-A'])).toMatchObject({ missing: 'file-A' });
    for (const id of ['file-b ', ' file-b', 'file-b\u00a0', 'file-a\n'])
      expect(await files.findAll(1, [id])).toMatchObject({ missing: id });
    expect(await files.findAll(1, ['annual report'])).toBeUndefined();
    const many = Array.from({ length: 501 }, (_, index) => `file-${index}`);
    expect(await files.findAll(1, many)).toMatchObject({ missing: 'file-500' });
    const query = { api, purpose: '', after: '', descending: false, limit: 1 };
    expect(await files.list(1, query)).toEqual({
      files: [{ id: 'file-a', purpose: 'user_data' }],
      hasMore: true,
    });
    expect(await files.list(1, { ...query, after: 'file-a' })).toMatchObject({
      files: [{ id: 'file-A' }],
      hasMore: false,
    });
    expect(await files.list(1, { ...query, after: 'file-b' })).toBeUndefined();
    expect(await files.list(1, { ...query, ids: ['file-A', 'file-b'] })).toMatchObject({
      files: [{ id: 'file-A' }],
    });
    expect(await files.list(1, { ...query, ids: [] })).toMatchObject({ files: [] });
    expect(await files.list(1, { ...query, api: 'anthropic' })).toMatchObject({ files: [] });
    // The vendor may answer with a file that it has.
    await keep(1, 'file-a', { id: 3, keyId: '' }, { expires_at: 1_010 });
    expect(await files.find(1, 'file-a')).toMatchObject({ id: 3, keyId: '' });
    now += 10_000;
    expect(await files.find(1, 'file-a')).toBeUndefined();
    await createStoredResponses({ db, clock: () => now, log: createLog('silent') }).sweep();
    await files.forget(1, 'file-b');
    const rows = await db.selectFrom('vendor_objects').select(['user_id', 'bytes']).orderBy('id').execute();
    expect(rows).toEqual([
      { user_id: 1, bytes: 5 },
      { user_id: 2, bytes: 5 },
    ]);
  });
});
