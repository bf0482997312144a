import {
  AppError,
  type CostRule,
  factorSnapshot,
  noCostRule,
  type PriceExtras,
  type PriceSnapshot,
  quotaOf,
  quotaOfDollars,
  tableSnapshot,
  type Usage,
  usageCounters,
} from '@tollgate/contract';
import { sharedRun } from '../../../lib/shared-run.ts';
import { channelCosts, changeMarks, channels, type Db, inTransaction } from '../../../store/index.ts';
import { type Audit, differences } from '../../site/audit/index.ts';

/** The change mark of cost prices. */
export const costsMark = 'channel-costs';

/** The parts of a call on which its cost depends. */
export interface CostedCall {
  channelId: number;
  /** The model by the caller's name, and by the vendor's. */
  model: string;
  upstreamModel: string;
  usage: Usage;
  /** The usage that the vendor produced, if it differs from the charged usage; null if unknown. */
  made?: Usage | null | undefined;
  extras?: PriceExtras | undefined;
  /** The prices at the time of the call. */
  snapshot: PriceSnapshot;
  /** The cost in US dollars that the vendor reported. */
  reportedCost?: number | undefined;
}

/** The operator's cost of calls. */
export interface Costs {
  /**
   * Operator's cost of a call in quota units, rounded like a charge; null if unknown. Synchronous: the prices of all
   * channels are in memory.
   */
  of(call: CostedCall): number | null;
  /** Identifies the costs of calls at a price, or without one: another object once prices or costs may have changed. */
  version(price: object): object;
  /** The cost prices of a channel; empty if it has none. Throws AppError channel_not_found. */
  rule(channelId: number): Promise<CostRule>;
  /** Throws AppError channel_not_found. */
  save(channelId: number, rule: CostRule): Promise<void>;
  /** Channels that have cost prices, with their prices. */
  rules(): ReadonlyMap<number, CostRule>;
  /** Reads all prices again. */
  reload(): Promise<void>;
}

export interface CostsDeps {
  db: Db;
  audit: Pick<Audit, 'record'>;
}

/** A rule, and the price snapshots made from it: a model's snapshot lives as long as its price. */
interface Known {
  rule: CostRule;
  made: WeakMap<PriceSnapshot, Map<string, PriceSnapshot>>;
}

/** Callers choose model names, so the cache of prices must be bounded. */
const maxRemembered = 1_000;

/** Opens the cost prices. Reads them once. */
export async function createCosts({ db, audit }: CostsDeps): Promise<Costs> {
  let known: ReadonlyMap<number, Known> = new Map();
  let versions = new WeakMap<object, object>();
  const reload = sharedRun(async () => {
    const rows = await channelCosts.all(db);
    known = new Map(rows.map((row) => [row.channel_id, { rule: ruleOf(row.rule), made: new WeakMap() }]));
    versions = new WeakMap();
  });
  const findName = async (channelId: number): Promise<string> => {
    const channel = await channels.find(db, channelId);
    if (!channel) throw new AppError('channel_not_found');
    return channel.name;
  };
  await reload();
  return {
    of(call) {
      const found = known.get(call.channelId);
      return found ? costOf(found, call) : null;
    },
    version(price) {
      const version = versions.get(price) ?? {};
      versions.set(price, version);
      return version;
    },
    async rule(channelId) {
      await findName(channelId);
      return ruleOf((await channelCosts.find(db, channelId))?.rule ?? '');
    },
    async save(channelId, rule) {
      const name = await findName(channelId);
      await inTransaction(db, async (trx) => {
        const before = ruleOf((await channelCosts.find(trx, channelId))?.rule ?? '');
        await channelCosts.put(trx, channelId, { rule: JSON.stringify(rule) });
        await audit.record(trx, {
          target: { type: 'channel', id: channelId, name },
          changes: differences(flat(before), flat(rule)),
        });
        await changeMarks.mark(trx, [costsMark]);
      });
      await reload();
    },
    rules: () => new Map([...known].map(([id, { rule }]) => [id, rule])),
    reload,
  };
}

/** A rule in the form for comparisons in the audit log. */
const flat = ({ factor, models, reported }: CostRule): Record<string, string | number | boolean> => ({
  factor: factor ?? '',
  models: JSON.stringify(models),
  reported,
});

/** The text was written by Tollgate; a missing one means a channel without cost prices. */
const ruleOf = (text: string): CostRule =>
  text === '' ? noCostRule : { ...noCostRule, ...(JSON.parse(text) as Partial<CostRule>) };

function costOf(known: Known, call: CostedCall): number | null {
  const { rule } = known;
  if (rule.reported && call.reportedCost !== undefined) {
    const reported = quotaOfDollars(call.reportedCost, call.snapshot.quotaPerUnit);
    if (reported !== null) return reported;
  }
  if (call.made === null) return null;
  const usage = call.made ?? call.usage;
  const snapshot = snapshotOf(known, call);
  if (!snapshot) return null;
  // A price per token gives no cost for a call without counted tokens.
  if (snapshot.mode === 'ratio' && call.extras?.calls !== undefined && isEmpty(usage)) return null;
  return quotaOf(usage, snapshot, call.extras);
}

const isEmpty = (usage: Usage): boolean => usageCounters.every((name) => usage[name] === 0);

/** The vendor's prices for the model; undefined if the rule does not have them. */
function snapshotOf({ rule, made }: Known, call: CostedCall): PriceSnapshot | undefined {
  const name = [call.upstreamModel, call.model].find((each) => Object.hasOwn(rule.models, each));
  // The fallback price is not a list price.
  if (name === undefined && (rule.factor === null || call.snapshot.unset)) return undefined;
  const ofPrice = made.get(call.snapshot) ?? new Map<string, PriceSnapshot>();
  made.set(call.snapshot, ofPrice);
  const before = ofPrice.get(name ?? '');
  if (before) return before;
  const price = name === undefined ? undefined : rule.models[name];
  const snapshot = price
    ? tableSnapshot(call.snapshot, price)
    : factorSnapshot(call.snapshot, rule.factor ?? 1);
  if (ofPrice.size < maxRemembered) ofPrice.set(name ?? '', snapshot);
  return snapshot;
}
