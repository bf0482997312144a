import { keptText, logType, type Tags } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import type { Log } from '../../../lib/log.ts';
import { type Db, dialectOf, tasks } from '../../../store/index.ts';
import {
  growTask,
  holdForTask,
  InsufficientQuota,
  type Ledger,
  releaseTask,
  type ReserveRequest,
  settleTask,
  type Settled,
  type Settlement,
} from '../../money/ledger/index.ts';

/** Something that an application sells beside models: its hold, and then its charge. Times are Unix ms. */
export interface Sale {
  id: number;
  /** The id for callers: `hold_` and 32 characters. */
  saleId: string;
  userId: number;
  name: string;
  description: string;
  state: 'held' | 'settled' | 'released';
  /** Quota units that were held. */
  held: number;
  /** Quota units that were charged; 0 before the settlement. */
  charged: number;
  /** The request id of its hold, charge and log row. */
  requestId: string;
  /** Hash of the request that took the hold. */
  bodyHash: string;
  buyer: SaleBuyer;
  begunAt: number;
  /** The hold is released at this time, or charged if it is for storage. */
  until: number;
  /** Set for the storage of cached content, whose charge grows with time. */
  storage?: Storage;
}

/** Cached content that a vendor keeps. Times are Unix ms. */
export interface Storage {
  unitsPerHour: number;
  since: number;
  until: number;
  /** Set once its deletion was requested. */
  endedAt?: number;
}

/** The charge of storage up to a moment, in quota units. */
export const storageCost = ({ unitsPerHour, since, until }: Storage, at = until): number =>
  Math.ceil((unitsPerHour * Math.max(0, Math.min(at, until) - since)) / 3_600_000 - 1e-9);

/** The caller whose key took the hold, for the log row. */
interface SaleBuyer {
  username: string;
  tokenId: number;
  tokenName: string;
  team: { id: number; name: string } | null;
  group: string;
  /** Path of the run that it belongs to. */
  run?: string | undefined;
  tags?: Tags | undefined;
}

/** A sale before its hold is taken. */
export interface NewSale extends Pick<
  Sale,
  'saleId' | 'name' | 'description' | 'bodyHash' | 'buyer' | 'until'
> {
  hold: Omit<ReserveRequest, 'deferrable' | 'upTo'>;
}

export interface SalesDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  clock: Clock;
  log: Log;
  logsConsumption(): boolean;
  sumsHourly(): boolean;
}

export type Sales = ReturnType<typeof createSales>;

/** Expired holds that are released in one run. */
const maxExpired = 1_000;

/** The model name of sales in log, sums and budgets: no model has it. */
export const saleModel = (name: string): string => `${saleStart}${name}`;
export const isSaleModel = (model: string): boolean => model.startsWith(saleStart);
const saleStart = 'app:';

/**
 * Sales: tasks without a vendor (docs/decisions/0021-tasks-are-rows-that-own-their-hold.md). Every step is one
 * transaction over the row and the ledger, decided by the state of the row: a second attempt changes nothing.
 */
export function createSales(deps: SalesDeps) {
  const { db, ledger, clock } = deps;
  const find = async (saleId: string): Promise<Sale | undefined> => {
    const row = await tasks.find(db, saleId);
    return row?.platform === tasks.salePlatform ? saleOf(row) : undefined;
  };
  const release = (sale: Sale): Promise<boolean> => {
    const change = { state: 'released', finish_time: clock(), next_poll: 0 };
    return ledger.change(async (context) => {
      if (!(await tasks.moveOn(context.db, sale.id, ['held'], change))) return false;
      await releaseTask(context, sale.requestId);
      faultPoint('sale-releasing');
      return true;
    });
  };
  const settle = (sale: Sale, amount: number): Promise<Settled | undefined> => {
    const settlement = settlementOf(deps, sale, amount);
    const change = { state: 'settled', quota: amount, finish_time: clock(), next_poll: 0 };
    return ledger.change(async (context) => {
      if (!(await tasks.moveOn(context.db, sale.id, ['held'], change))) return undefined;
      await growTask(context, sale.requestId, amount);
      const settled = await settleTask(context, settlement);
      // An administrator may have lowered the balance below the hold. Storage has been used already.
      if (settled.writtenOff > 0 && !sale.storage)
        throw new InsufficientQuota('account', settled.charged, amount);
      faultPoint('sale-settling');
      return settled;
    });
  };
  return {
    find,
    /**
     * Turns a hold into one for storage, grown to its whole cost, or changes its storage; `also` is part of the
     * transaction. Returns the sale; undefined if it is over. Throws InsufficientQuota.
     *
     * @param cost - The most that is held for, in quota units
     */
    store(
      sale: Sale,
      storage: Storage,
      also?: (db: Db) => Promise<void>,
      cost = storageCost(storage),
    ): Promise<Sale | undefined> {
      const stored = { ...sale, storage, until: storage.until, held: Math.max(sale.held, cost) };
      const due = storage.endedAt === undefined ? storage.until : storage.endedAt + endingMs;
      const change = { request: keptOf(stored), next_poll: due, deadline: storage.until };
      return ledger.change(async (context) => {
        if (!(await tasks.moveOn(context.db, sale.id, ['held'], change))) return undefined;
        await growTask(context, sale.requestId, cost);
        await also?.(context.db);
        faultPoint('sale-holding');
        return stored;
      });
    },
    /**
     * Takes the hold and writes the row. `isNew` is false if the sale was there before: then it is returned as it is.
     * Throws InsufficientQuota.
     */
    async begin(sale: NewSale): Promise<{ sale: Sale; isNew: boolean }> {
      const row = newRow(sale, clock());
      try {
        return await ledger.change(async (context) => {
          const before = await tasks.find(context.db, row.task_id);
          if (before) return { sale: saleOf(before), isNew: context.repeated };
          await holdForTask(context, sale.hold);
          const id = await tasks.create(context.db, row);
          faultPoint('sale-holding');
          return { sale: saleOf({ ...row, id }), isNew: true };
        });
      } catch (error) {
        // The same call in another process was faster.
        const before = dialectOf(db).isUniqueViolation(error) && (await find(row.task_id));
        if (!before) throw error;
        return { sale: before, isNew: false };
      }
    },
    /**
     * Charges the amount (quota units) and returns the rest of the hold; undefined if the sale is already over. Throws
     * InsufficientQuota if hold and free balance do not cover all of it: the hold stays.
     */
    settle,
    /** Returns the hold; false if the sale is already over. */
    release,
    /** Releases the holds that have expired, and charges storage that has ended; returns their number. */
    async releaseExpired(): Promise<number> {
      let count = 0;
      for (const row of await tasks.dueSales(db, clock(), maxExpired)) {
        try {
          const sale = saleOf(row);
          const { storage } = sale;
          const isOver = storage
            ? (await settle(sale, storageCost(storage, storage.endedAt))) !== undefined
            : await release(sale);
          if (isOver) count += 1;
        } catch (err) {
          deps.log.error({ err, sale: row.task_id }, 'an expired hold could not be released');
        }
      }
      return count;
    },
  };
}

/** The part of a sale that its row has as JSON. */
type Kept = Pick<Sale, 'name' | 'description' | 'held' | 'bodyHash' | 'storage'>;

const keptOf = ({ name, description, held, bodyHash, storage }: Kept): string =>
  JSON.stringify({ name, description, held, bodyHash, storage } satisfies Record<keyof Kept, unknown>);

/** A deletion that its process did not finish is charged after this time, up to when it was requested. */
const endingMs = 300_000;

function newRow({ saleId, name, description, bodyHash, buyer, until, hold }: NewSale, now: number) {
  const row: tasks.NewTask = {
    task_id: saleId,
    platform: tasks.salePlatform,
    action: '',
    user_id: hold.userId,
    team_id: buyer.team?.id ?? 0,
    channel_id: 0,
    model: saleModel(name),
    upstream_model: '',
    vendor_id: '',
    state: 'held',
    vendor_status: '',
    progress: 0,
    quota: 0,
    request_id: hold.requestId,
    bill: JSON.stringify(buyer),
    request: keptOf({ name, description, held: hold.amount, bodyHash }),
    result: '{}',
    reason: '',
    node: '',
    submit_time: now,
    start_time: now,
    finish_time: 0,
    next_poll: until,
    poll_failures: 0,
    deadline: until,
  };
  return row;
}

/** This service wrote the row, so its shape is known. */
function saleOf(row: tasks.TaskRow): Sale {
  const kept = JSON.parse(row.request) as Kept;
  return {
    id: row.id,
    saleId: row.task_id,
    userId: row.user_id,
    ...kept,
    state: row.state as Sale['state'],
    charged: row.quota,
    requestId: row.request_id,
    buyer: JSON.parse(row.bill) as SaleBuyer,
    begunAt: row.submit_time,
    until: row.deadline,
  };
}

/** The charge of a sale with its log row. The amount is the application's own: no ratio applies. */
function settlementOf(deps: SalesDeps, sale: Sale, amount: number): Settlement {
  const at = seconds(deps.clock);
  const { buyer, requestId, userId } = sale;
  const modelName = saleModel(sale.name);
  const isLogged = deps.logsConsumption();
  const { username, team, tags } = buyer;
  const other = {
    usage_source: 'application',
    end_reason: 'complete',
    total_ms: Math.max(0, deps.clock() - sale.begunAt),
    receipt: { terms: termsOf(amount), minimum: 0 },
    sale: { id: sale.saleId, name: sale.name, description: sale.description, held: sale.held },
    ...(team && { team: team.name }),
  };
  return {
    requestId,
    amount,
    channelId: 0,
    counts: amount > 0,
    log: isLogged
      ? {
          user_id: userId,
          created_at: at,
          type: logType.consume,
          content: keptText('sold', { name: sale.name }),
          username,
          token_name: buyer.tokenName,
          model_name: modelName,
          prompt_tokens: 0,
          completion_tokens: 0,
          use_time: Math.floor(other.total_ms / 1000),
          is_stream: 0,
          channel_id: 0,
          token_id: buyer.tokenId,
          group: buyer.group,
          other: JSON.stringify(other),
          request_id: requestId,
          team_id: team?.id ?? 0,
          cost: null,
          tags: tags ? JSON.stringify(tags) : null,
        }
      : null,
    hourly: isLogged && deps.sumsHourly() ? { modelName, username, tokens: 0, at } : null,
  };
}

const termsOf = (amount: number) =>
  amount === 0 ? [] : [{ what: 'calls', count: 1, unit: String(amount), amount: String(amount) }];
