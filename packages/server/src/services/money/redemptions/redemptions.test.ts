import { AppError } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../../../lib/seal.ts';
import { eachDialect } from '../../../store/each-dialect.ts';
import { type Db, redemptions as redemptionRows } from '../../../store/index.ts';
import { createRedemptions, type Redemptions } from './index.ts';
import { createAudit } from '../../site/audit/index.ts';

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : `other: ${String(error)}`),
  );

eachDialect('redemption codes', ({ open }) => {
  let db: Db;
  let service: Redemptions;

  beforeEach(async () => {
    ({ db } = await open());
    const clock = () => 1_700_000_000_000;
    const sealer = createSealer(Buffer.alloc(32, 7));
    service = createRedemptions({ db, audit: createAudit({ db, reports: db, clock }), sealer, clock });
  });

  const make = async (name = 'gift', count = 1) => {
    await service.create(7, { name, quota: 500_000, count });
    return (await service.list({ page: 1, pageSize: 100, keyword: '' })).items[0]!;
  };

  it('are made in batches of up to 100, each key 32 hex digits of its own', async () => {
    const keys = await service.create(7, { name: 'gift', quota: 5, count: 100 });
    expect(new Set(keys).size).toBe(100);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    const page = await service.list({ page: 2, pageSize: 30, keyword: '' });
    expect(page).toMatchObject({ total: 100, page: 2, page_size: 30 });
    expect(page.items).toHaveLength(30);
    expect(page.items[0]).toMatchObject({
      user_id: 7,
      status: 1,
      quota: 5,
      created_time: 1_700_000_000,
      used_user_id: 0,
      DeletedAt: null,
    });
  });

  it.each([
    ['', 1, 'redemption_name_length'],
    ['x'.repeat(21), 1, 'redemption_name_length'],
    ['一'.repeat(20), 1, 'accepted'],
    ['gift', 0, 'redemption_count_positive'],
    ['gift', 101, 'redemption_count_limit'],
  ])('named "%s" times %i are validated: %s', async (name, count, expected) => {
    expect(await refusal(service.create(7, { name, quota: 1, count }))).toBe(expected);
  });

  it('are found by id and by the beginning of their name', async () => {
    await make('winter');
    const summer = await make('summer');
    const found = async (keyword: string) =>
      (await service.list({ page: 1, pageSize: 10, keyword })).items.map(({ name }) => name);
    expect(await found('win')).toEqual(['winter']);
    expect(await found('%')).toEqual([]);
    expect(await found(String(summer.id))).toContain('summer');
  });

  it('end at a moment that is not yet over when it is set, and keep it in other changes', async () => {
    const past = 1_700_000_000;
    expect(await refusal(service.create(7, { name: 'gift', quota: 1, count: 1, expired_time: past }))).toBe(
      'redemption_expiry_past',
    );
    await service.create(7, { name: 'gift', quota: 1, count: 1, expired_time: past + 60 });
    const { id } = (await service.list({ page: 1, pageSize: 1, keyword: '' })).items[0]!;
    expect(await service.edit(id, { quota: 2 })).toMatchObject({ quota: 2, expired_time: past + 60 });
    expect(await refusal(service.edit(id, { expired_time: past }))).toBe('redemption_expiry_past');
    // A script may send back the values that it read, also after the expiry.
    await redemptionRows.update(db, id, { expired_time: past - 1 });
    expect(await service.edit(id, { quota: 3, expired_time: past - 1 })).toMatchObject({ quota: 3 });
    expect(await service.edit(id, { expired_time: 0 })).toMatchObject({ expired_time: 0 });
    expect(await service.edit(id, { use_within_days: 30 })).toMatchObject({ use_within_days: 30 });
    expect(await service.edit(id, { quota: 4 })).toMatchObject({ use_within_days: 30 });
    expect(await service.edit(id, { use_within_days: null })).toMatchObject({ use_within_days: null });
  });

  it('that nobody can redeem are deleted by one call: used, disabled and expired ones', async () => {
    const now = 1_700_000_000;
    const codes = { open: 0, later: now + 1, over: now, off: 0, used: 0 };
    for (const [name, expired_time] of Object.entries(codes)) {
      const { id } = await make(name);
      await redemptionRows.update(db, id, { expired_time, ...(name === 'off' && { status: 2 }) });
      if (name === 'used') await redemptionRows.use(db, id, 7, now);
    }
    expect(await service.removeInvalid()).toBe(3);
    const left = await service.list({ page: 1, pageSize: 10, keyword: '' });
    expect(left.items.map(({ name }) => name)).toEqual(['later', 'open']);
  });

  it('are edited while unused only', async () => {
    const code = await make();
    expect(await service.edit(code.id, { name: 'new', quota: 9 })).toMatchObject({ name: 'new', quota: 9 });
    expect(await service.edit(code.id, { quota: 10 })).toMatchObject({ name: 'new', quota: 10 });
    await service.setStatus(code.id, 2);
    expect(await refusal(service.edit(code.id, { name: 'x' }))).toBe('redemption_disabled');
    expect(await refusal(service.edit(9_999, { name: 'x' }))).toBe('redemption_not_found');
  });

  describe('that were used', () => {
    it('stay used and cannot be redeemed twice', async () => {
      const code = await make();
      expect(await redemptionRows.use(db, code.id, 3, 1_700_000_100)).toBe(true);
      expect(await refusal(service.setStatus(code.id, 1))).toBe('redemption_used');
      expect(await refusal(service.edit(code.id, { quota: 1 }))).toBe('redemption_used');
      expect(await service.get(code.id)).toMatchObject({ status: 3, used_user_id: 3, quota: 500_000 });
    });

    it('cannot be marked as used by hand', async () => {
      const code = await make();
      expect(await refusal(Promise.resolve().then(() => service.setStatus(code.id, 3)))).toBe(
        'invalid_parameter',
      );
    });
  });

  it('are gone once deleted', async () => {
    const code = await make();
    await service.remove(code.id);
    expect(await refusal(service.get(code.id))).toBe('redemption_not_found');
    expect(await refusal(service.remove(code.id))).toBe('redemption_not_found');
  });
});
