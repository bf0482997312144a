import { product } from '@tollgate/contract';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';

const header = product.headers.maxCost;
const dollars = /^(\d{1,9})(?:\.(\d{1,24}))?$/;
const digits = 24;

/**
 * Dollars as a number or text in quota units, rounded down; undefined if it is no amount. A number may have the error of a
 * computation, as in 0.1 + 0.2 and 1 - 0.9, or be so small that its text has an exponent.
 */
export function unitsOf(amount: number | string, unitsPerDollar: number): number | undefined {
  const [, whole, part = ''] =
    dollars.exec(typeof amount === 'string' ? amount.trim() : textOf(amount)) ?? [];
  if (whole === undefined) return undefined;
  const units = BigInt(whole + part.padEnd(digits, '0')) * BigInt(Math.floor(unitsPerDollar));
  return Number(units / 10n ** BigInt(digits));
}

/** The first 15 digits of a number, which a computation leaves exact; all of an amount of billions is in them. */
function textOf(amount: number): string {
  const exact = Number(amount.toPrecision(15));
  return exact < 1e-6 ? exact.toFixed(20) : String(exact);
}

/**
 * The cost ceiling of a call from its header, which is in US dollars; in quota units, rounded down. Undefined without
 * the header. Throws `max_cost_invalid`.
 */
export function readCeiling(
  { unitsPerDollar }: Pick<GatewayDeps, 'unitsPerDollar'>,
  { headers }: RelayCall['req'],
): number | undefined {
  const asked = headers[header];
  if (asked === undefined) return undefined;
  const units = unitsOf(String(asked), unitsPerDollar());
  if (units === undefined) throw refuse('max_cost_invalid', { header });
  return units;
}

/** A hold above the ceiling of its call: the ceiling is the available amount, and waiting does not help. */
export class AboveCeiling extends InsufficientQuota {
  constructor(ceiling: number, needed: number) {
    super('account', ceiling, needed);
    this.name = 'AboveCeiling';
  }

  override ofNeeded(needed: number): AboveCeiling {
    return new AboveCeiling(this.available, needed);
  }
}

/** The refusal of a call with a minimum cost above its ceiling. Amounts are quota units. */
export const tooLow = (deps: Pick<GatewayDeps, 'showQuota'>, ceiling: number, needed: number): RelayError =>
  refuse('max_cost_too_low', { header, ceiling: deps.showQuota(ceiling), needed: deps.showQuota(needed) });

/** Reason for the end of an answer that would have cost more. */
export const ceilingReached = (): RelayError => refuse('max_cost_reached', { header });
