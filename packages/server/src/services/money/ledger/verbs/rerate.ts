import { hourOf } from '../../../../lib/clock.ts';
import {
  balances,
  budgetRows,
  ledger,
  logs,
  quotaLinesOf,
  teamMembers,
  teams,
} from '../../../../store/index.ts';
import type { ChargeEntry } from './plan-rerate.ts';
import { type PlannedRerate, planRerate, type Meters } from './plan-rerate.ts';
import type { SettlementLog } from '../plan/types.ts';
import { lockBudgets, MissingRow, record, type VerbContext } from './context.ts';
import { lockAccounts, returnCredit } from './grants.ts';

/** A charge that is corrected, or a correction that is undone. */
export interface RerateCharge {
  /** Unique name; a repetition makes the whole step fail. */
  txn: string;
  /** The entry with the payer, key, member and channel. */
  of: string;
  /** Further entries of the same charge, for its remaining amount on limits. */
  others: readonly string[];
  /**
   * Change of the charge in quota units: a negative amount is returned to the payer, a positive one is taken from free
   * money.
   */
  amount: number;
  /** A former loss that is forgiven now; 0 for none. */
  forgiven: number;
  userId: number;
  /** The additional log row of the movement; null for none. */
  log: (moved: number) => SettlementLog | null;
  /** The hour whose sums include the charge; null if hours are not summed. */
  hourly: { modelName: string; username: string; at: number } | null;
}

export interface RerateInput {
  charges: readonly RerateCharge[];
  actorId: number;
  reason: string;
}

/** Result of a correction: the moved amount (signed as `amount`), or that the payer no longer exists. */
export type Rerated = { moved: number } | 'gone';

type Entry = Awaited<ReturnType<typeof ledger.findMany>>[number];

/**
 * Corrects charges. An excess is returned to the payer, and a missing amount is taken from the free money of the
 * wallet; the rest is written off. Balance, key, member's limit, budgets, the totals of all of them, of the user and of
 * the channel, hourly sums and log rows change together. Part of the caller's transaction, which must ensure that no
 * other transaction makes the same correction.
 */
export async function rerate(context: VerbContext, input: RerateInput): Promise<Rerated[]> {
  const { db } = context;
  const names = input.charges.flatMap(({ of, others }) => [of, ...others]);
  const entries = new Map((await ledger.findMany(db, names)).map((entry) => [entry.txn, entry]));
  const meters = await lockAll(context, [...entries.values()]);
  const planned = input.charges.map((charge) => plannedRerateOf(charge, entries, meters));
  for (const [index, due] of planned.entries()) {
    if (due) await writeEntry(context, input, input.charges[index]!, due);
  }
  await writeWallets(context, input.charges, planned, meters.rows);
  await writeFigures(
    context,
    planned.filter((due) => due !== undefined),
  );
  for (const { row, used } of meters.budgets.values()) await budgetRows.addUsed(db, row, used);
  await writeRows(context, input.charges, planned);
  return planned.map((due) => (due ? { moved: due.moved } : 'gone'));
}

function plannedRerateOf(
  charge: RerateCharge,
  entries: ReadonlyMap<string, Entry>,
  meters: Meters,
): PlannedRerate | undefined {
  const base = entries.get(charge.of);
  if (!base) return undefined;
  const all: ChargeEntry[] = [charge.of, ...charge.others].flatMap((txn) => entries.get(txn) ?? []);
  return planRerate(charge.amount, base, all, meters);
}

/** The meters, and the rows of the accounts. */
interface LockedMeters extends Meters {
  rows: ReadonlyMap<number, Awaited<ReturnType<typeof lockAccounts>>[number]>;
}

/** Locks all affected rows, in the lock order of the whole ledger. */
async function lockAll(context: VerbContext, entries: readonly Entry[]): Promise<LockedMeters> {
  const { db, touched } = context;
  const idsOf = (pick: (entry: Entry) => number) => new Set(entries.map(pick).filter((id) => id !== 0));
  const paid = idsOf(({ account_id: id }) => id);
  const payees = new Map<number, number>();
  // A deleted team's wallet is emptied under its lock, so the team's state stays valid after the locks.
  const owners = new Map<number, number>();
  for (const id of paid) {
    const owner = await ownerOfDeletedTeam(context, id);
    if (owner !== undefined) owners.set(id, owner);
  }
  const accounts = await lockAccounts(context, new Set([...paid, ...owners.values()]));
  for (const id of paid) {
    const owner = await ownerOfDeletedTeam(context, id);
    // Deleted between the two queries: this step waits for its next attempt, which locks the owner's wallet.
    if (owner !== owners.get(id)) throw new MissingRow('teams', id);
    payees.set(id, owner ?? id);
  }
  const tokens = await balances.lockTokens(
    db,
    idsOf(({ token_id: id }) => id),
  );
  const memberIds = idsOf(({ member_id: id }) => id);
  const members = await balances.lockMembers(db, memberIds);
  const since = new Map<number, number>();
  for (const id of memberIds) since.set(id, (await teamMembers.findById(db, id))?.period_start ?? 0);
  const budgets = await lockBudgets(
    context,
    entries.flatMap((entry) => quotaLinesOf(entry.budgets)),
  );
  for (const { id } of tokens) touched.tokens.add(id);
  for (const { id } of members) touched.members.add(id);
  const meterOf = (row: { id: number; remain_quota: number; held: number; unlimited_quota: number }) =>
    [
      row.id,
      { remain: row.remain_quota, held: row.held, unlimited: row.unlimited_quota !== 0, delta: 0, used: 0 },
    ] as const;
  return {
    payees,
    rows: new Map(accounts.map((row) => [row.id, row])),
    accounts: new Map(
      accounts.map(({ id, balance, expired, held }) => [id, { balance: balance - expired, held, delta: 0 }]),
    ),
    tokens: new Map(tokens.map(meterOf)),
    members: new Map(members.map(meterOf)),
    budgets: new Map(
      budgets.map(({ row }) => [
        row.id,
        {
          row,
          free: row.mode !== 'soft' ? row.amount - row.used - row.held : Infinity,
          used: new Map(),
        },
      ]),
    ),
    since,
  };
}

/** The wallets of the owners of deleted teams, by the team's wallet. */
async function ownerOfDeletedTeam({ db }: VerbContext, accountId: number): Promise<number | undefined> {
  const team = await teams.findByAccount(db, accountId);
  if (!team || team.deleted_at === null) return undefined;
  return (await balances.findPayer(db, team.owner_id))?.account_id;
}

async function writeEntry(
  context: VerbContext,
  { actorId, reason }: RerateInput,
  charge: RerateCharge,
  due: PlannedRerate,
): Promise<void> {
  const writtenOff = charge.amount - due.moved - charge.forgiven;
  const isNew = await record(context, {
    txn: charge.txn,
    kind: 'rerate',
    account_id: due.accountId,
    user_id: due.base.user_id,
    token_id: due.base.token_id,
    channel_id: due.base.channel_id,
    account_delta: 0 - due.moved,
    writeoff_delta: 0 - writtenOff,
    outside_delta: due.moved + writtenOff,
    token_delta: 0 - due.token,
    member_id: due.base.member_id,
    member_delta: 0 - due.member,
    actor_id: actorId,
    budgets: due.budgets,
    // Notes in JSON are remarks of the ledger, and sums search for their quotes.
    note: reason.replaceAll('"', '”'),
  });
  if (!isNew) throw new Error(`${charge.txn} has been done before`);
}

/** Writes the sum of the corrections of each wallet. */
async function writeWallets(
  context: VerbContext,
  charges: readonly RerateCharge[],
  planned: readonly (PlannedRerate | undefined)[],
  rows: LockedMeters['rows'],
): Promise<void> {
  const isWritten = new Set<number>();
  for (const [index, due] of planned.entries()) {
    const row = due && rows.get(due.accountId);
    if (!row || isWritten.has(row.id)) continue;
    isWritten.add(row.id);
    const { delta } = due.account;
    const { txn, userId } = charges[index]!;
    if (delta > 0) await returnCredit(context, row, { txn, userId, amount: delta });
    else if (delta < 0 && !(await balances.takeFree(context.db, row.id, -delta)))
      throw new Error(`account ${row.id} is not as it was read`);
  }
}

async function writeFigures({ db }: VerbContext, planned: readonly PlannedRerate[]): Promise<void> {
  const tokens = new Map(
    planned.flatMap(({ base, tokenMeter: meter }) => (meter ? [[base.token_id, meter]] : [])),
  );
  for (const [id, meter] of tokens) await balances.giveBack(db, 'tokens', id, meter);
  const members = new Map(
    planned.flatMap(({ base, memberMeter: meter }) => (meter ? [[base.member_id, meter]] : [])),
  );
  for (const [id, meter] of members) await balances.giveBack(db, 'team_members', id, meter);
  const users = new Map<number, { quota: number; requests: number }>();
  const channels = new Map<number, number>();
  for (const { base, moved } of planned) {
    if (base.member_id === 0)
      users.set(base.user_id, { quota: (users.get(base.user_id)?.quota ?? 0) + moved, requests: 0 });
    channels.set(base.channel_id, (channels.get(base.channel_id) ?? 0) + moved);
  }
  await balances.write(db, [...balances.userWrites(db, users), ...balances.channelWrites(db, channels)]);
}

async function writeRows(
  { db }: VerbContext,
  charges: readonly RerateCharge[],
  planned: readonly (PlannedRerate | undefined)[],
): Promise<void> {
  const hours = new Map<string, Parameters<typeof ledger.addHours>[1][number]>();
  const rows: Parameters<typeof ledger.insertLogs>[1][number][] = [];
  for (const [index, { hourly, userId, log }] of charges.entries()) {
    const moved = planned[index]?.moved ?? 0;
    if (moved === 0) continue;
    const row = log(moved);
    if (row) rows.push({ log: row, quota: -moved });
    if (!hourly) continue;
    const hour = hourOf(hourly.at);
    const key = JSON.stringify([userId, hourly.modelName, hour]);
    const quota = (hours.get(key)?.quota ?? 0) + moved;
    const { modelName, username } = hourly;
    hours.set(key, { userId, username, modelName, hour, tokens: 0, count: 0, quota });
  }
  await ledger.addHours(db, [...hours.values()]);
  await logs.refund(
    db,
    rows.map(({ log, quota }) => ({ requestId: log.request_id, quota })),
  );
  await ledger.insertLogs(db, rows);
}
