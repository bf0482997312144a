import {
  type BudgetLine,
  budgetRows,
  type LedgerEntry,
  quotaLinesOf,
  textOfLines,
} from '../../../../store/index.ts';

/** The part of a charge's entry that planning needs. */
export type ChargeEntry = Pick<
  LedgerEntry,
  | 'kind'
  | 'account_id'
  | 'user_id'
  | 'token_id'
  | 'channel_id'
  | 'member_id'
  | 'token_delta'
  | 'member_delta'
  | 'at'
  | 'budgets'
>;

/** A wallet while a step is planned; `delta` is the planned change. */
interface Wallet {
  /** Quota units that have not expired. */
  balance: number;
  held: number;
  delta: number;
}

/** A key's allowance or a member's limit while a step is planned; `delta` and `used` have the meaning of `giveBack`. */
interface Meter {
  remain: number;
  held: number;
  unlimited: boolean;
  delta: number;
  used: number;
}

/** A budget while a step is planned: its free amount, and the planned changes. */
interface Budget {
  readonly row: budgetRows.BudgetFigures;
  /** Quota units; Infinity if it only counts. */
  free: number;
  /** By the start of the line that counts them. */
  used: Map<number, number>;
}

/** All wallets and meters concerned by a step, under their locks. */
export interface Meters {
  /** The recipients of a refund, by payer. */
  payees: ReadonlyMap<number, number>;
  accounts: ReadonlyMap<number, Wallet>;
  tokens: ReadonlyMap<number, Meter>;
  members: ReadonlyMap<number, Meter>;
  budgets: ReadonlyMap<number, Budget>;
  /** Start of the period of a member's limit, in Unix seconds. */
  since: ReadonlyMap<number, number>;
}

/** Result of a correction: changes of the charge, of the key's use and of the member's use. */
export interface PlannedRerate {
  base: ChargeEntry;
  /** The lines that count the change. */
  budgets: string;
  accountId: number;
  account: Wallet;
  moved: number;
  token: number;
  tokenMeter: Meter | undefined;
  member: number;
  memberMeter: Meter | undefined;
}

/**
 * Plans one correction on figures in memory and changes them. `all` has every entry of the charge: a limit gets back
 * at most what was taken from it. A budget limits what is taken in its window unless that has ended; a sliding one counts
 * it in its newest part. Undefined if the payer's wallet is gone.
 */
export function planRerate(
  amount: number,
  base: ChargeEntry,
  all: readonly ChargeEntry[],
  meters: Meters,
): PlannedRerate | undefined {
  const accountId = meters.payees.get(base.account_id);
  const account = accountId === undefined ? undefined : meters.accounts.get(accountId);
  if (accountId === undefined || !account) return undefined;
  // For a deleted team, its owner gets an excess back and owes nothing.
  const isTeamDeleted = accountId !== base.account_id;
  const free = isTeamDeleted ? 0 : Math.max(0, account.balance + account.delta - account.held);
  const isCounted = ({ id, start }: BudgetLine): boolean => {
    const budget = meters.budgets.get(id);
    return budget !== undefined && budgetRows.isLineCounted(budget.row, start);
  };
  const lines = quotaLinesOf(base.budgets).map((line) => {
    const row = meters.budgets.get(line.id)?.row;
    return amount > 0 && row && row.parts !== null && isCounted(line)
      ? { id: line.id, start: row.window_start }
      : line;
  });
  const budgets = lines
    .filter(isCounted)
    .map(({ id, start }) => ({ budget: meters.budgets.get(id)!, start }));
  const covered = budgets.map(({ budget }) => Math.max(0, budget.free));
  const moved = amount <= 0 ? amount : Math.min(amount, free, ...covered);
  account.delta -= moved;
  for (const { budget, start } of budgets) {
    budget.free -= moved;
    budget.used.set(start, (budget.used.get(start) ?? 0) + moved);
  }
  const tokenMeter = meters.tokens.get(base.token_id);
  const memberMeter = meters.members.get(base.member_id);
  const taken = (of: 'token_delta' | 'member_delta') => 0 - all.reduce((sum, entry) => sum + entry[of], 0);
  // An undone correction takes back at most the amount that a limit was given.
  const most = (of: 'token_delta' | 'member_delta') => (base.kind === 'rerate' ? base[of] : Infinity);
  const token = tokenMeter ? move(tokenMeter, moved, taken('token_delta'), most('token_delta')) : 0;
  // An ended month does not change the remainder of the present one.
  const isOver = base.at < (meters.since.get(base.member_id) ?? 0);
  const [memberTaken, memberMost] = isOver ? [0, 0] : [taken('member_delta'), most('member_delta')];
  const member = memberMeter ? move(memberMeter, moved, memberTaken, memberMost) : 0;
  return {
    base,
    budgets: textOfLines(lines),
    accountId,
    account,
    moved,
    token,
    tokenMeter,
    member,
    memberMeter,
  };
}

/** Counts a change on a meter; returns the amount taken from it, negative if given back. */
function move(meter: Meter, moved: number, taken: number, most: number): number {
  const left = meter.unlimited ? Infinity : Math.max(0, meter.remain + meter.delta - meter.held);
  const change =
    moved > 0 ? Math.min(moved, left, Math.max(0, most)) : 0 - Math.min(-moved, Math.max(0, taken));
  meter.delta -= change;
  meter.used -= moved;
  return change;
}
