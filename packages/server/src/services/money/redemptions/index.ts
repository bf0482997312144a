import { randomBytes } from 'node:crypto';
import {
  AppError,
  maxRedemptionBatch,
  type Page,
  type RedemptionData,
  redemptionStatus,
} from '@tollgate/contract';
import { type Audit, type AuditTarget, differences } from '../../site/audit/index.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Sealer, SealPlace } from '../../../lib/seal.ts';
import { type Db, inTransaction, redemptions as redemptionRows } from '../../../store/index.ts';

/** A page of codes. */
interface RedemptionQuery {
  /** Counts from 1. */
  page: number;
  pageSize: number;
  /** '' for all. */
  keyword: string;
  /** Newest first by default. */
  sort?: redemptionRows.RedemptionSearch['sort'];
}

/** Administration of redemption codes (docs/compatibility.md#redemption-codes). Redeeming is a verb of the ledger. */
export interface Redemptions {
  /** Newest first, codes shortened. The keyword is an id or the start of a name; '' for all. Pages count from 1. */
  list(query: RedemptionQuery): Promise<Page<RedemptionData>>;
  /** One code, shortened. */
  get(id: number): Promise<RedemptionData>;
  /** The whole code. Every read is recorded in the audit log. */
  reveal(id: number): Promise<string>;
  /** Creates codes and returns them whole. Throws AppError for an invalid name or number. */
  create(
    userId: number,
    batch: {
      name: string;
      quota: number;
      count: number;
      expired_time?: number;
      use_within_days?: number | null;
    },
  ): Promise<string[]>;
  /** Only unused codes can be edited. */
  edit(
    id: number,
    change: {
      name?: string | undefined;
      quota?: number | undefined;
      expired_time?: number | undefined;
      use_within_days?: number | null | undefined;
    },
  ): Promise<RedemptionData>;
  /** 1 or 2; a used code stays used. */
  setStatus(id: number, status: number): Promise<RedemptionData>;
  remove(id: number): Promise<void>;
  /** Deletes codes that cannot be redeemed: used, disabled or expired. Returns the number. */
  removeInvalid(): Promise<number>;
}

export interface RedemptionsDeps {
  db: Db;
  audit: Pick<Audit, 'record'>;
  sealer: Sealer;
  clock: Clock;
}

/** The seal place of a code. */
export const codePlace = (keyHash: string): SealPlace => ({ column: 'redemptions.key', row: keyHash });

/** The stored columns of a code: its hash for look-ups, and its encrypted copy. */
export function sealCode(
  sealer: Pick<Sealer, 'seal'>,
  key: string,
): Pick<redemptionRows.RedemptionRow, 'key_hash' | 'key_sealed'> {
  const key_hash = sha256(key);
  return { key_hash, key_sealed: sealer.seal(key, codePlace(key_hash)) };
}

/** Masks a code for lists. A short code, possible after an import, would otherwise be nearly readable. */
const shortened = (key: string): string => (key.length < 16 ? '••••' : `${key.slice(0, 4)}…${key.slice(-4)}`);

/** A code in the audit log: never the code itself. */
const targetOf = ({ id, name }: { id: number; name: string }): AuditTarget => ({
  type: 'redemption',
  id,
  name,
});

/** Maximum length of a code's name in characters. */
const maxNameLength = 20;

async function createCodes(
  { db, audit, sealer, clock }: RedemptionsDeps,
  userId: number,
  { name, quota, count, expired_time = 0, use_within_days = null }: Parameters<Redemptions['create']>[1],
): Promise<string[]> {
  checkName(name);
  if (count <= 0) throw new AppError('redemption_count_positive');
  if (count > maxRedemptionBatch) throw new AppError('redemption_count_limit');
  const keys = Array.from({ length: count }, () => randomBytes(16).toString('hex'));
  const created_time = seconds(clock);
  checkExpiry(expired_time, created_time);
  const codes = keys.map((key) => ({
    user_id: userId,
    ...sealCode(sealer, key),
    name,
    quota,
    created_time,
    expired_time,
    use_within_days: use_within_days ?? 0,
  }));
  await inTransaction(db, async (trx) => {
    await redemptionRows.create(trx, codes);
    const ends = {
      ...(expired_time > 0 && { expired_time }),
      ...(use_within_days !== null && { use_within_days }),
    };
    await audit.record(trx, { note: { name, quota, count, ...ends } });
  });
  return keys;
}

/** Opens the service of redemption codes. */
export function createRedemptions(deps: RedemptionsDeps): Redemptions {
  const { db, audit, sealer, clock } = deps;
  const keyOf = ({ key_hash, key_sealed }: redemptionRows.RedemptionRow): string =>
    sealer.open(key_sealed, codePlace(key_hash));
  /** '' for a code encrypted with another master key, so that its list can still be read. */
  const shortenedOrNone = (row: redemptionRows.RedemptionRow): string => {
    try {
      return shortened(keyOf(row));
    } catch {
      return '';
    }
  };
  const show = (row: redemptionRows.RedemptionRow): RedemptionData => {
    const { deleted_at, key_hash: _hash, key_sealed: _sealed, ...columns } = row;
    const use_within_days = row.use_within_days === 0 ? null : row.use_within_days;
    return { ...columns, use_within_days, key: shortenedOrNone(row), DeletedAt: deleted_at };
  };
  const findOrFail = async (id: number): Promise<redemptionRows.RedemptionRow> => {
    const row = await redemptionRows.find(db, id);
    if (!row) throw new AppError('redemption_not_found');
    return row;
  };
  /** The store writes only while the code is unused, so a simultaneous redemption has precedence. */
  const change = async (id: number, columns: Parameters<typeof redemptionRows.update>[2]) => {
    const row = await findOrFail(id);
    await inTransaction(db, async (trx) => {
      if (!(await redemptionRows.update(trx, id, columns))) throw new AppError('redemption_used');
      await audit.record(trx, { target: targetOf(row), changes: differences(row, columns) });
    });
    return show(await findOrFail(id));
  };

  return {
    async list({ page, pageSize, keyword, sort }) {
      const at = Math.max(1, page);
      const slice = { keyword: keyword.trim(), offset: (at - 1) * pageSize, limit: pageSize, sort };
      const { rows, total } = await redemptionRows.search(db, slice);
      return { items: rows.map(show), total, page: at, page_size: pageSize };
    },
    get: async (id) => show(await findOrFail(id)),
    async reveal(id) {
      const row = await findOrFail(id);
      await audit.record(db, { target: targetOf(row) });
      return keyOf(row);
    },
    create: (userId, batch) => createCodes(deps, userId, batch),
    async edit(id, { name, quota, expired_time, use_within_days: days }) {
      if (name !== undefined) checkName(name);
      const row = await findOrFail(id);
      if (row.status === redemptionStatus.disabled) throw new AppError('redemption_disabled');
      const until = expired_time ?? row.expired_time;
      if (until !== row.expired_time) checkExpiry(until, seconds(clock));
      return change(id, {
        name: name ?? row.name,
        quota: quota ?? row.quota,
        expired_time: until,
        use_within_days: days === undefined ? row.use_within_days : (days ?? 0),
      });
    },
    setStatus(id, status) {
      if (status === redemptionStatus.used) throw new AppError('invalid_parameter');
      return change(id, { status });
    },
    async remove(id) {
      const row = await findOrFail(id);
      await inTransaction(db, async (trx) => {
        if (!(await redemptionRows.softDelete(trx, id, seconds(clock)))) {
          throw new AppError('redemption_not_found');
        }
        await audit.record(trx, { target: targetOf(row), note: { quota: row.quota } });
      });
    },
    removeInvalid: () =>
      inTransaction(db, async (trx) => {
        const count = await redemptionRows.softDeleteInvalid(trx, seconds(clock));
        await audit.record(trx, { note: { count } });
        return count;
      }),
  };
}

/** Counts characters, not bytes: six Chinese characters are 18 bytes. */
function checkName(name: string): void {
  if (name.length === 0 || name.length > maxNameLength) throw new AppError('redemption_name_length');
}

/** Throws for a time in the past; 0 means never. */
function checkExpiry(expiredTime: number, now: number): void {
  if (expiredTime !== 0 && expiredTime <= now) throw new AppError('redemption_expiry_past');
}
