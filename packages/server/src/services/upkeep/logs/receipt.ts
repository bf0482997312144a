import { type Bill, type ReceiptData, recomputeQuota } from '@tollgate/contract';
import { isObject } from '../../../lib/json.ts';
import type { LedgerTable } from '../../../store/index.ts';
import type { LogRow } from './view.ts';

/** A request's row in the ledger. */
export type LedgerRow = Omit<LedgerTable, 'id'> & { id: number };

type Fields = Record<string, unknown>;

export const fieldsOf = (text: string): Fields => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

const numberOr = <Other>(value: unknown, other: Other): number | Other =>
  typeof value === 'number' && Number.isFinite(value) ? value : other;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The additional data of a receipt. */
interface ReceiptWords {
  showTries: boolean;
  /** The name of the paying team; '' for none. */
  team: string;
  channelName: (id: number) => string;
  adjustments: ReceiptData['adjustments'];
  /** Lines of the signed receipts. */
  signed: string[];
}

/**
 * Explains a consumption row: the lines of its bill, their sum, and what the ledger charged. Pure. Rows of any age
 * are accepted; data that they lack stays empty. `showTries` is for administrators.
 */
export function buildReceipt(
  row: LogRow,
  entry: LedgerRow | undefined,
  { showTries, team, channelName, adjustments, signed }: ReceiptWords,
): ReceiptData {
  const other = fieldsOf(row.other);
  const lines = linesOf(other.receipt);
  const computed = lines === null ? null : computedOf(lines);
  const frt = numberOr(other.frt, -1);
  return {
    request_id: row.request_id,
    created_at: row.created_at,
    model_name: row.model_name,
    token_name: row.token_name,
    team_id: row.team_id,
    team_name: team,
    group: row.group,
    is_stream: row.is_stream !== 0,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    bill: { terms: lines?.terms ?? [], minimum: lines?.minimum ?? 0, computed },
    charged: row.quota,
    matches: lines === null ? null : matchesLedger(computed, row, entry),
    ledger: entry ? showEntry(entry) : null,
    adjustments,
    charged_in_all: adjustments.reduce((sum, { difference }) => sum + difference, row.quota),
    ratios: ratiosOf(other),
    service_tier: textOf(other.service_tier),
    context_above: numberOr(other.context_above, 0),
    max_cost: numberOr(other.max_cost, null),
    cheaper_by: textOf(other.cheaper_by),
    usage_source: textOf(other.usage_source),
    end_reason: textOf(other.end_reason),
    timings: {
      use_time: row.use_time,
      first_byte_ms: frt < 0 ? null : frt,
      total_ms: numberOr(other.total_ms, null),
    },
    route: {
      channel: row.channel_id,
      upstream_model: textOf(other.upstream_model_name) || row.model_name,
      tries: showTries && isObject(other.admin_info) ? triesOf(other.admin_info.tries, channelName) : [],
    },
    signed,
  };
}

type Lines = Pick<Bill, 'terms' | 'minimum'>;

/** The bill's lines on the row; null if it has none, or something else. */
export function linesOf(receipt: unknown): Lines | null {
  if (!isObject(receipt) || !Array.isArray(receipt.terms)) return null;
  const terms: Bill['terms'] = [];
  for (const each of receipt.terms as unknown[]) {
    if (!isObject(each)) return null;
    const { what, count, unit, amount } = each;
    const whole = typeof count === 'number' && Number.isSafeInteger(count);
    if (typeof what !== 'string' || !whole || typeof unit !== 'string' || typeof amount !== 'string')
      return null;
    terms.push({ what: what as Bill['terms'][number]['what'], count, unit, amount });
  }
  return { terms, minimum: receipt.minimum === 1 ? 1 : 0 };
}

function computedOf(lines: Lines): number | null {
  try {
    return recomputeQuota(lines);
  } catch {
    // The row is damaged and cannot be recomputed.
    return null;
  }
}

/** To the unit: the lines give what was charged and written off, and the row agrees with the ledger. */
function matchesLedger(computed: number | null, row: LogRow, entry: LedgerRow | undefined): boolean {
  if (computed === null) return false;
  if (!entry) return computed === row.quota;
  const { charged, written_off } = showEntry(entry);
  return charged === row.quota && computed === charged + written_off;
}

/** Deltas as charged amounts; `|| 0` because of -0. */
const showEntry = (entry: LedgerRow) => ({
  id: entry.id,
  kind: entry.kind,
  at: entry.at,
  charged: -entry.account_delta || 0,
  written_off: -entry.writeoff_delta || 0,
  token_charged: -entry.token_delta || 0,
});

/** The prices among the row's terms: all members with the name of a ratio or a price. */
const ratiosOf = (other: Fields): Record<string, number> =>
  Object.fromEntries(
    Object.entries(other).filter(
      (field): field is [string, number] =>
        /_(ratio|price)(_1h)?$/.test(field[0]) && typeof field[1] === 'number',
    ),
  );

function triesOf(tries: unknown, channelName: (id: number) => string): ReceiptData['route']['tries'] {
  if (!Array.isArray(tries)) return [];
  return tries.filter(isObject).map(({ channelId, ms, reason, status }) => ({
    channel: numberOr(channelId, 0),
    name: channelName(numberOr(channelId, 0)),
    ms: numberOr(ms, 0),
    ...(typeof reason === 'string' && { reason }),
    ...(typeof status === 'number' && { status }),
  }));
}
