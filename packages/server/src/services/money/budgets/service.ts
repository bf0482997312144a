import {
  AppError,
  type BudgetData,
  type BudgetMode,
  type BudgetPeriod,
  type BudgetUnit,
  maxBudgets,
  type NewBudget,
  role,
  teamRole,
  usualSharesOf,
} from '@tollgate/contract';
import { isTimeZone, windowAt } from '../../../lib/calendar-windows.ts';
import { freeFrom, keepCounted, partAt, sumOfParts, windowSeconds } from '../../../lib/sliding-windows.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import {
  type BudgetedKey,
  type BudgetRow,
  budgetRows,
  budgets,
  changeMarks,
  runs,
  type Db,
  type RunRow,
  teamMembers,
  teams,
  tokens,
  users,
} from '../../../store/index.ts';
import { type Audit, differences } from '../../site/audit/index.ts';
import type { Ledger, ShortBudget } from '../ledger/index.ts';
import { type BudgetRules, budgetsMark, narrowest } from './rules.ts';
import { runLevels } from './runs.ts';

interface BudgetsDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  rules: Pick<BudgetRules, 'reload'>;
  audit: Pick<Audit, 'record'>;
  /** True for a group that has a ratio. */
  isGroup(name: string): boolean;
  clock: Clock;
}

/** The user who makes the request. */
interface Actor {
  id: number;
  role: number;
}

/** Filter of a list; absent for everything that the caller may see. */
interface BudgetScope {
  token_id?: number | undefined;
  user_id?: number | undefined;
  team_id?: number | undefined;
  group?: string | undefined;
  for_each?: BudgetData['for_each'] | undefined;
  /** Only budgets with at least this share used or held, in percent. */
  near?: number | undefined;
}

interface AskedRuns {
  run?: string | undefined;
  username?: string | undefined;
  token_id?: number | undefined;
}

interface BudgetChange {
  name?: string | undefined;
  amount?: number | undefined;
  mode?: BudgetMode | undefined;
  shares?: readonly number[] | undefined;
  instead?: string | undefined;
  max_calls?: number | undefined;
  enabled?: boolean | undefined;
}

export interface Budgets {
  /**
   * The run with a path and the sub-runs of all levels, empty for an unknown path; without a path the newest runs of
   * the user, or those that accept calls and have keys that `token_id` has made.
   */
  runs(actor: Actor, asked: AskedRuns): Promise<BudgetData[]>;
  /** The run with a path, if the actor may see it; undefined for an unknown path. Throws like `runs`. */
  findRun(actor: Actor, asked: { run: string; username?: string | undefined }): Promise<RunRow | undefined>;
  list(actor: Actor, scope: BudgetScope): Promise<BudgetData[]>;
  create(actor: Actor, input: NewBudget): Promise<BudgetData>;
  /** Absent fields stay unchanged. */
  update(actor: Actor, id: number, change: BudgetChange): Promise<BudgetData>;
  remove(actor: Actor, id: number): Promise<void>;
}

/** Maximum number of runs in a list. */
const listedRuns = 100;

/** Maximum number of rows in a list. */
const listedAtMost = 1_000;

type SetBy = BudgetData['set_by'];
type Conditions = Pick<BudgetRow, 'token_id' | 'user_id' | 'team_id'>;

/** The cheaper model of a budget. Throws unless exactly budgets of that mode have one. */
function insteadOf(mode: string, model: string): string {
  if ((mode === 'cheaper') !== (model !== '')) throw new AppError('invalid_parameter');
  return model;
}

/**
 * Use of a budget in its window at a moment (Unix seconds). A window that has ended counts as zero. A sliding one ends
 * when the first part of its use no longer counts; without use that would be never, so it ends a window from now.
 */
function presentWindow(row: BudgetRow, now: number) {
  const period = row.period as BudgetPeriod | 'run';
  const { used, held, calls, window_start: start, window_end: end } = row;
  if (row.parts !== null && period !== 'term' && period !== 'run') {
    const newest = Math.max(start, partAt(period, now).start);
    const parts = keepCounted(row.parts, { period, newest });
    const first = freeFrom(parts, period, 1);
    const length = windowSeconds(period);
    const window = { start: now - length, end: first ?? now + length };
    return { period, used: sumOfParts(parts), held, calls, ...window };
  }
  if (period === 'term' || period === 'run' || now < end) return { period, used, held, calls, start, end };
  return { period, used: 0, held: 0, calls: 0, ...windowAt(period, row.time_zone, now) };
}

/** True if a share of a budget, in percent, is used or held. */
function isNear(row: BudgetRow, percent: number, now: number): boolean {
  const { used, held } = presentWindow(row, now);
  return (used + held) * 100 >= row.amount * percent;
}

/** A budget in the view of a key that it limits. */
export interface KeyBudget {
  id: number;
  name: string;
  /** Scope of the budget. */
  scope: 'key' | 'user' | 'team';
  /** Its model, with a * for any suffix; '' for all. */
  model: string;
  period: BudgetPeriod;
  unit: BudgetUnit;
  /** In its unit. */
  amount: number;
  used: number;
  held: number;
  /** Unix seconds. */
  end: number;
}

/** Budgets that limit the calls of a key and name it, its owner or its organisation. An ended term limits nothing. */
export async function budgetsOfKey(db: Db, key: BudgetedKey, now: number): Promise<KeyBudget[]> {
  const rows = await budgets.ofKey(db, key);
  return rows.flatMap((row) => {
    const { period, used, held, end } = presentWindow(row, now);
    if (now >= end) return [];
    const scope = row.token_id !== 0 ? 'key' : row.user_id !== 0 ? 'user' : 'team';
    const { id, name, model, amount } = row;
    // No run is a budget of a key.
    const terms = { period: period as BudgetPeriod, unit: row.unit as BudgetUnit };
    return [{ id, name, scope, model, ...terms, amount, used, held, end }];
  });
}

/**
 * What the run of a key has used and leaves, with holds and all runs that it is part of, in quota units; undefined if
 * it was removed.
 */
export async function fundsOfRun(db: Db, userId: number, path: string) {
  const rows = await runs.find(db, userId, runLevels(path));
  const own = rows.find(({ run }) => run === path);
  if (!own) return undefined;
  const rests = rows.map(({ mode, amount, used, held }) =>
    mode === 'hard' ? amount - used - held : Infinity,
  );
  return {
    name: path,
    createdAt: own.created_time,
    expiresAt: own.window_end,
    used: own.used,
    remaining: Math.max(0, Math.min(...rests)),
    unlimited: false,
  };
}

/**
 * What budgets leave at a moment (Unix seconds), regardless of holds: a budget that only counts leaves Infinity, one
 * without calls `calls`. Deleted budgets and ended terms limit nothing.
 */
export async function budgetsLeft(db: Db, ids: readonly number[], now: number): Promise<ShortBudget[]> {
  const rows = await budgets.findAll(db, ids);
  return rows.flatMap((row) => {
    const { period, used, calls, end } = presentWindow(row, now);
    if (period === 'term' && now >= end) return [];
    const isOutOfCalls = row.max_calls > 0 && calls >= row.max_calls;
    // A sliding budget without use will never have more room.
    const hasNoEnd = period === 'term' || period === 'run' || (row.parts !== null && used === 0);
    return {
      id: row.id,
      name: row.run ?? row.name,
      end,
      timeZone: row.time_zone,
      resetsIn: hasNoEnd ? undefined : end - now,
      isRun: row.run !== null,
      isSliding: row.parts !== null,
      instead: row.instead,
      unit: row.unit as BudgetUnit,
      amount: row.amount,
      left: row.mode !== 'soft' ? Math.max(0, row.amount - used) : Infinity,
      ...(isOutOfCalls && { calls }),
    };
  });
}

/**
 * Budgets and the rights to set them. Administrators set any budget of users below their own role, managers those of
 * their organisation, its members and its keys, and every user those of themselves and their keys. A lower role cannot
 * change budgets that a higher one has set.
 */
export function createBudgets(deps: BudgetsDeps): Budgets {
  const { db, ledger, rules, audit, clock } = deps;

  const isManager = async (actor: Actor, teamId: number): Promise<boolean> => {
    const team = teamId === 0 ? undefined : await teams.find(db, teamId);
    const member = team && (await teamMembers.find(db, teamId, actor.id));
    return member !== undefined && member.role >= teamRole.manager;
  };

  /** The role in which the actor sets budgets with these conditions; undefined if the actor has no right to. */
  const findRank = async (actor: Actor, conditions: Conditions): Promise<SetBy | undefined> => {
    const { token_id: tokenId, user_id: userId, team_id: teamId } = conditions;
    if (actor.role >= role.admin) return 'site';
    const token = tokenId === 0 ? undefined : await tokens.find(db, tokenId);
    // Managers of the organisation may also set budgets of its keys.
    if (await isManager(actor, teamId || (token?.team_id ?? 0))) return 'team';
    if (tokenId !== 0) return token?.user_id === actor.id ? 'own' : undefined;
    return userId === actor.id && teamId === 0 ? 'own' : undefined;
  };

  /** Refuses limits for users whom the actor may not change. */
  const checkPeers = async (actor: Actor, conditions: Conditions): Promise<void> => {
    const { token_id: tokenId, user_id: userId, team_id: teamId } = conditions;
    const token = tokenId === 0 ? undefined : await tokens.find(db, tokenId);
    const team = teamId === 0 ? undefined : await teams.find(db, teamId);
    const isGone = (tokenId !== 0 && !token) || (teamId !== 0 && !team);
    const owners = [userId, token?.user_id, team?.owner_id].filter((id) => id !== undefined && id !== 0);
    for (const id of owners) {
      const user = await users.find(db, id as number);
      if (!user) throw new AppError('row_not_found');
      if (actor.role >= role.admin && actor.role < role.root && id !== actor.id && user.role >= actor.role)
        throw new AppError('cannot_edit_peer');
    }
    if (isGone) throw new AppError('row_not_found');
  };

  const allowed = async (actor: Actor, row: BudgetRow): Promise<boolean> => {
    if (row.run !== null && row.user_id === actor.id) return true;
    const rank = await findRank(actor, row);
    if (row.set_by === 'site' || row.set_by === 'default') return rank === 'site';
    return row.set_by === 'team' ? rank === 'site' || rank === 'team' : rank !== undefined;
  };

  /**
   * Name of the first limited object of a budget: its key, user, organisation or group; '' for all calls, or for a
   * deleted object.
   */
  const findSubject = async (row: BudgetRow): Promise<string> => {
    if (row.token_id !== 0) return (await tokens.find(db, row.token_id))?.name ?? '';
    if (row.user_id !== 0) return (await users.find(db, row.user_id))?.username ?? '';
    if (row.team_id !== 0) return (await teams.find(db, row.team_id))?.name ?? '';
    return row.group;
  };

  const buildView = async (actor: Actor, row: BudgetRow): Promise<BudgetData> => {
    const { period, used, held, calls, start, end } = presentWindow(row, seconds(clock));
    return {
      id: row.id,
      name: row.name,
      token_id: row.token_id,
      user_id: row.user_id,
      team_id: row.team_id,
      group: row.group,
      model: row.model,
      for_each: row.for_each as BudgetData['for_each'],
      period,
      sliding: row.parts !== null,
      time_zone: row.time_zone,
      mode: row.mode as BudgetMode,
      shares: [...budgetRows.sharesOf(row.shares)],
      instead: row.instead,
      unit: row.unit as BudgetUnit,
      amount: row.amount,
      enabled: row.enabled === 1,
      used,
      held,
      max_calls: row.max_calls,
      calls,
      run: row.run ?? '',
      key_hint: row.key_hint ?? '',
      window_start: start,
      window_end: end,
      set_by: row.set_by as SetBy,
      subject: await findSubject(row),
      may_change: await allowed(actor, row),
    };
  };

  /**
   * The runs of a user that the actor may see: all of one's own and for administrators; for managers of an organisation
   * those that began with a call that it paid. Throws `row_not_found` for everybody else.
   */
  const visibleRuns = async (actor: Actor, userId: number): Promise<(row: BudgetRow) => boolean> => {
    if (userId === actor.id || actor.role >= role.admin) return () => true;
    const managed = new Set(
      (await teamMembers.ofUser(db, actor.id))
        .filter((member) => member.role >= teamRole.manager)
        .map((member) => member.team_id),
    );
    const mates = await teamMembers.ofUser(db, userId);
    if (!mates.some((member) => managed.has(member.team_id))) throw new AppError('row_not_found');
    return (row) => managed.has(row.team_id);
  };

  /** Whose runs are asked for, and which of them the actor may see. Throws for those of others who are not below. */
  const runsOf = async (actor: Actor, username: string | undefined, ofToken?: number) => {
    const owner = username === undefined ? undefined : await users.findByName(db, username);
    if (username !== undefined && !owner) throw new AppError('row_not_found');
    const userId = ofToken ?? owner?.id ?? actor.id;
    if (actor.role >= role.admin && userId !== actor.id)
      await checkPeers(actor, { token_id: 0, user_id: userId, team_id: 0 });
    return { userId, visible: await visibleRuns(actor, userId) };
  };

  const viewsOf = (actor: Actor, rows: readonly BudgetRow[]): Promise<BudgetData[]> =>
    Promise.all(rows.map((row) => buildView(actor, row)));

  const changing = async (
    actor: Actor,
    id: number,
    work: (db: Db, row: BudgetRow) => Promise<Parameters<Audit['record']>[1]>,
  ): Promise<void> => {
    const found = await budgets.find(db, id);
    if (!found || !(await allowed(actor, found))) throw new AppError('row_not_found');
    await checkPeers(actor, found).catch((error: unknown) => {
      // The owner or key may have been deleted in the meantime.
      if (!(error instanceof AppError) || error.code !== 'row_not_found') throw error;
    });
    await ledger.change(async (money) => {
      const row = await budgets.lock(money.db, id);
      if (!row) throw new AppError('row_not_found');
      money.touched.budgets.add(id);
      const event = await work(money.db, row);
      await audit.record(money.db, { ...event, target: { type: 'budget', id, name: row.name } });
      await changeMarks.mark(money.db, [budgetsMark]);
    });
    await rules.reload();
  };

  return {
    async list(actor, { near, ...scope }) {
      const filter = Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));
      const isAll = Object.keys(filter).length === 0;
      const rows = await budgets.list(db, filter, {
        limit: listedAtMost,
        ownedBy: isAll && actor.role < role.admin ? actor.id : undefined,
        near: near === undefined ? undefined : { percent: near, now: seconds(clock) },
      });
      const views: BudgetData[] = [];
      for (const row of rows) {
        // The row of a sliding budget may count what is older than its window by now.
        if (near !== undefined && row.parts !== null && !isNear(row, near, seconds(clock))) continue;
        const isOwn = row.user_id === actor.id || (await findRank(actor, row)) !== undefined;
        const isTeamMate = row.user_id === 0 && row.token_id === 0 && row.team_id !== 0;
        if (isOwn || (isTeamMate && (await teamMembers.find(db, row.team_id, actor.id))))
          views.push(await buildView(actor, row));
      }
      return views;
    },
    async create(actor, input) {
      const { name, token_id, user_id, team_id, group, model, period, time_zone, mode, amount, until } =
        input;
      const { sliding, unit, shares = usualSharesOf(period) } = input;
      const conditions = { token_id, user_id, team_id, group, model, for_each: input.for_each };
      const names = token_id !== 0 || user_id !== 0 || (input.for_each === 'user' && team_id !== 0);
      if (input.for_each !== '' && names) throw new AppError('invalid_parameter');
      const setBy = await findRank(actor, conditions);
      if (!setBy) throw new AppError('insufficient_role');
      await checkPeers(actor, conditions);
      if (!isTimeZone(time_zone)) throw new AppError('invalid_parameter');
      if (group !== '' && !deps.isGroup(group)) throw new AppError('group_unknown', { group });
      const now = seconds(clock);
      if (period === 'term' && sliding) throw new AppError('invalid_parameter');
      if (period === 'term' && until <= now) throw new AppError('redemption_expiry_past');
      const calendar = period === 'term' ? { start: now, end: until } : windowAt(period, time_zone, now);
      const window = sliding && period !== 'term' ? partAt(period, now) : calendar;
      const key = narrowest(conditions);
      const id = await ledger.change(async (money) => {
        const alike = (await budgets.rules(money.db, false)).filter((rule) => narrowest(rule) === key);
        if (alike.length >= maxBudgets) throw new AppError('budget_limit_reached', { max: maxBudgets });
        const made = await budgets.create(money.db, {
          ...conditions,
          name,
          set_by: setBy,
          period,
          time_zone,
          mode,
          shares: shares.join(','),
          instead: insteadOf(mode, input.instead),
          unit,
          amount,
          enabled: 1,
          window_start: window.start,
          window_end: window.end,
          created_time: now,
          parts: sliding ? '' : null,
        });
        await audit.record(money.db, {
          target: { type: 'budget', id: made, name },
          note: {
            ...conditions,
            amount,
            ...(unit !== 'quota' && { unit }),
            period,
            sliding,
            time_zone,
            mode,
            ...(mode === 'cheaper' && { instead: input.instead }),
          },
        });
        await changeMarks.mark(money.db, [budgetsMark]);
        return made;
      });
      await rules.reload();
      const row = await budgets.find(db, id);
      if (!row) throw new AppError('row_not_found');
      return buildView(actor, row);
    },
    async runs(actor, { run, username, token_id: tokenId }) {
      const token = tokenId === undefined ? undefined : await tokens.find(db, tokenId);
      if (tokenId !== undefined && !token) throw new AppError('row_not_found');
      const { userId, visible } = await runsOf(actor, username, token?.user_id);
      if (token) {
        const made = await runs.ofKey(db, token, seconds(clock), listedRuns);
        return viewsOf(actor, made.filter(visible));
      }
      if (run === undefined) {
        const newest = await runs.newest(db, userId, listedRuns);
        return viewsOf(actor, newest.filter(visible));
      }
      const found = (await runs.find(db, userId, [run])).filter(visible);
      const parts: RunRow[] = [];
      for (let level = found; level.length > 0 && parts.length < listedRuns;) {
        const ids = level.map(({ id }) => id);
        level = await runs.children(db, userId, ids, listedRuns - parts.length);
        parts.push(...level);
      }
      return viewsOf(actor, [...found, ...parts.filter(visible)]);
    },
    async findRun(actor, { run, username }) {
      const { userId, visible } = await runsOf(actor, username);
      return (await runs.find(db, userId, [run])).find(visible);
    },
    async update(actor, id, { name, amount, mode, shares, instead, max_calls: maxCalls, enabled }) {
      await changing(actor, id, async (trx, row) => {
        if (maxCalls !== undefined && row.max_calls === 0) throw new AppError('invalid_parameter');
        if (row.run !== null && (mode ?? shares ?? instead) !== undefined)
          throw new AppError('invalid_parameter');
        const change = {
          name: name ?? row.name,
          mode: row.run !== null && amount !== undefined ? 'hard' : (mode ?? row.mode),
          shares: shares?.join(',') ?? row.shares,
          instead: insteadOf(
            mode ?? row.mode,
            instead ?? (mode === undefined || mode === 'cheaper' ? row.instead : ''),
          ),
          amount: amount ?? row.amount,
          max_calls: maxCalls ?? row.max_calls,
          enabled: enabled === undefined ? row.enabled : Number(enabled),
        };
        await budgets.update(trx, id, change);
        // A lower amount may reach a share without a charge.
        const { used, start } = presentWindow({ ...row, ...change }, seconds(clock));
        const window = row.parts === null ? { window_start: start } : {};
        await budgetRows.noteReached(trx, { ...row, ...change, ...window }, used);
        const before = Object.fromEntries(
          Object.keys(change).map((key) => [key, row[key as keyof BudgetRow]]),
        );
        return { changes: differences(before, change) };
      });
      const row = await budgets.find(db, id);
      if (!row) throw new AppError('row_not_found');
      return buildView(actor, row);
    },
    async remove(actor, id) {
      await changing(actor, id, async (trx, row) => {
        await budgets.remove(trx, id);
        const unit = row.unit === 'quota' ? {} : { unit: row.unit };
        return { note: { amount: row.amount, ...unit, period: row.period } };
      });
    },
  };
}
