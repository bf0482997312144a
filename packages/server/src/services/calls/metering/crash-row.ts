import {
  inputTokens,
  outputTokens,
  contextTiers,
  price,
  serviceTiers,
  prepareSnapshot,
  type PriceSnapshot,
  type Tags,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import { z } from 'zod';
import { isObject, type JsonObject, textOf } from '../../../lib/json.ts';
import type { HoldTable } from '../../../store/index.ts';
import type { CostedCall } from '../../money/costs/index.ts';
import type { CrashRow } from '../../money/ledger/index.ts';
import { buildConsumeLog, type ConsumeFacts } from './consume-log.ts';

/** Cost of the call for the operator. */
type CostOf = (call: CostedCall) => number | null;

/** A note may be older than this version: prices without terms cannot be itemised. */
const notedPrices: z.ZodType<PriceSnapshot> = z.object({
  mode: z.enum(['ratio', 'call']),
  modelRatio: z.number(),
  completionRatio: z.number(),
  cacheRatio: z.number(),
  cacheWriteRatio: z.number(),
  cacheWrite1hRatio: z.number(),
  imageRatio: z.number(),
  imageCompletionRatio: z.number().exactOptional(),
  audioRatio: z.number(),
  audioCompletionRatio: z.number(),
  groupRatio: z.number(),
  modelPrice: z.number(),
  webSearchPrice: z.number(),
  fileSearchPrice: z.number(),
  containerPrice: z.number().exactOptional(),
  quotaPerUnit: z.number(),
  unset: z.boolean(),
  contextTiers: contextTiers.exactOptional(),
  serviceTiers: serviceTiers.exactOptional(),
});

/**
 * The note of a hold (JSON text) with the usage so far and the applicable prices, so that the row after a crash has
 * every term of its charge.
 */
export function noteProgress(note: string, usage: Usage, snapshot: PriceSnapshot): string {
  const used = Object.fromEntries(Object.entries(usage).filter(([, count]) => count > 0));
  return JSON.stringify({ ...(JSON.parse(note) as JsonObject), used, prices: snapshot });
}

/**
 * The consumption row of a call after a crash of its process, from the note of its last progress mark; undefined if
 * the note does not explain the charge to the unit.
 */
export function crashRow(hold: HoldTable, costOf: CostOf = () => null): CrashRow | undefined {
  try {
    const note: unknown = JSON.parse(hold.request);
    if (!isObject(note) || !isObject(note.used)) return undefined;
    const snapshot = prepareSnapshot(notedPrices.parse(note.prices));
    return rowOf(hold, note, { usage: usageOf(note.used), snapshot }, costOf);
  } catch {
    return undefined;
  }
}

/** The tags of a note; undefined for none. */
const tagsOf = (noted: unknown): Tags | undefined =>
  isObject(noted)
    ? Object.fromEntries(Object.entries(noted).map(([name, value]) => [name, textOf(value)]))
    : undefined;

function rowOf(
  hold: HoldTable,
  note: JsonObject,
  { usage, snapshot }: Pick<ConsumeFacts, 'usage' | 'snapshot'>,
  costOf: CostOf,
): CrashRow | undefined {
  const bill = price(usage, snapshot);
  if (bill.quota !== hold.progress) return undefined;
  const at = hold.at * 1_000;
  const facts: ConsumeFacts = {
    requestId: hold.request_id,
    userId: hold.user_id,
    username: textOf(note.username),
    tokenId: hold.token_id,
    tokenName: textOf(note.token),
    team: typeof note.team === 'number' ? { id: note.team, name: textOf(note.teamName) } : null,
    group: textOf(note.group),
    model: textOf(note.model),
    upstreamModel: textOf(note.model),
    pricedModel: textOf(note.pricedModel) || undefined,
    cheaperBy: textOf(note.cheaperBy) || undefined,
    isStream: note.stream === true,
    channelId: hold.channel_id,
    tries: [{ channelId: hold.channel_id, ms: 0 }],
    usage,
    usageSource: 'counted',
    bill,
    snapshot,
    endReason: 'crash',
    tags: tagsOf(note.tags),
    startedAt: at,
    firstByteAt: 0,
    endedAt: at,
  };
  const log = buildConsumeLog(facts, costOf(facts));
  return {
    log: { ...log, other: JSON.stringify({ ...(JSON.parse(log.other) as JsonObject), hold: hold.amount }) },
    tokens: inputTokens(usage) + outputTokens(usage),
  };
}
