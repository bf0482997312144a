import { budgets, channels, type Store, tokens, users } from '../../../../store/index.ts';
import type { EngineSettings } from '../engines/engine.ts';
import { createLedger, type Ledger, type LedgerDeps } from '../ledger.ts';
import type { RequestLedger, Reservation, ReserveRequest, SettlementLog, Settlement } from '../plan/types.ts';
import { openAccount } from '../verbs/credit.ts';

/** A payer with one token, for tests. */
export interface Person {
  accountId: number;
  userId: number;
  tokenId: number;
  unlimited: boolean;
  username: string;
  /** Membership in the paying team; absent for users who pay themselves. */
  memberId?: number;
  teamId?: number;
  /** The budgets that apply to their calls. */
  budgets?: number[];
}

/** A log that keeps its messages for tests. */
export function recordingLog() {
  const lines: { level: string; message: string; fields: object }[] = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, fields });
  };
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
}

let serial = 0;

/** A name that is unique in this run. */
export const unique = (kind: string): string => `${kind}-${process.pid}-${(serial += 1)}`;

export interface OpenOptions {
  node?: string;
  settings?: Partial<EngineSettings>;
  clock?: () => number;
  monotonic?: () => number;
  crashRow?: LedgerDeps['crashRow'];
}

/** A ledger with a clock that is fixed at `at` (Unix seconds) by default. */
export function openLedger(
  store: Store,
  options: OpenOptions = {},
): Ledger & { lines: ReturnType<typeof recordingLog>['lines'] } {
  const log = recordingLog();
  const ledger = createLedger({
    store,
    log,
    clock: options.clock ?? (() => 1_700_000_000_000),
    node: options.node ?? 'test',
    settings: { gapMs: 0, markGapMs: 1, ...options.settings },
    ...(options.crashRow && { crashRow: options.crashRow }),
    ...(options.monotonic && { monotonic: options.monotonic }),
  });
  return Object.assign(ledger, { lines: log.lines });
}

/** A person with `balance` quota units and a token of `allowance` (null: unlimited). */
export async function addPerson(
  store: Store,
  ledger: Ledger,
  { balance, allowance = null }: { balance: number; allowance?: number | null },
): Promise<Person> {
  const accountId = await openAccount(store.db);
  const username = unique('user');
  const userId = await users.create(store.db, { account_id: accountId, username, created_time: 0 });
  const tokenId = await tokens.create(store.db, {
    user_id: userId,
    key_hash: unique('hash'),
    key_sealed: '',
    key_hint: '',
    status: 1,
    name: 'token',
    created_time: 0,
    expired_time: -1,
    unlimited_quota: allowance === null ? 1 : 0,
    model_limits_enabled: 0,
    model_limits: '',
    allow_ips: '',
    group: '',
    team_id: 0,
  });
  await ledger.credit({ txn: unique('gift'), kind: 'gift', accountId, userId, amount: balance });
  if (allowance !== null) {
    await ledger.grantToken({ txn: unique('token'), tokenId, change: { to: allowance }, actorId: userId });
  }
  return { accountId, userId, tokenId, unlimited: allowance === null, username };
}

/** A budget of this number of quota units per UTC calendar day, with the given conditions. */
export const addBudget = (
  store: Store,
  amount: number,
  parts: Partial<Parameters<typeof budgets.create>[1]> = {},
): Promise<number> =>
  budgets.create(store.db, {
    name: 'budget',
    set_by: 'site',
    token_id: 0,
    user_id: 0,
    team_id: 0,
    group: '',
    model: '',
    period: 'day',
    time_zone: 'UTC',
    mode: 'hard',
    amount,
    enabled: 1,
    window_start: 0,
    window_end: 0,
    created_time: 0,
    ...parts,
  });

/** Counted amount of a budget in its window. */
export async function budgetFigures(store: Store, id: number) {
  const row = await budgets.find(store.db, id);
  if (!row) throw new Error(`no budget ${id}`);
  return { used: row.used, held: row.held, start: row.window_start };
}

/** The shares that a budget has reached, as `<start of the window>:<share>`. */
export async function reachedShares(store: Store, id: number): Promise<string[]> {
  const rows = await store.db.selectFrom('budget_warnings').selectAll().where('budget_id', '=', id).execute();
  return rows.map((row) => `${row.window_start}:${row.share}`).toSorted();
}

/** Counted calls of a budget in its window. */
export async function budgetCalls(store: Store, id: number): Promise<number | undefined> {
  return (await budgets.find(store.db, id))?.calls;
}

/** A channel, for its used_quota. */
export const addChannel = (store: Store): Promise<number> =>
  channels.create(store.db, {
    type: 1,
    key_sealed: '',
    key_hash: '',
    openai_organization: '',
    test_model: '',
    status: 1,
    name: 'channel',
    weight: 0,
    created_time: 0,
    test_time: 0,
    response_time: 0,
    test_outcome: 0,
    test_failure: null,
    base_url: '',
    other: '',
    balance: 0,
    balance_updated_time: 0,
    models: '',
    group: '',
    used_quota: 0,
    model_mapping: '',
    status_code_mapping: '',
    priority: 0,
    auto_ban: 0,
    other_info: '',
    tag: null,
    setting: '',
    param_override: '',
    header_override: '',
    header_secrets_sealed: null,
    max_input_tokens: 0,
    remark: '',
    multi_key_mode: '',
  });

export const holdRequest = (person: Person, requestId: string, amount: number): ReserveRequest => ({
  requestId,
  accountId: person.accountId,
  userId: person.userId,
  tokenId: person.tokenId,
  memberId: person.memberId ?? 0,
  ...(person.budgets && { budgets: person.budgets }),
  channelId: 0,
  tokenUnlimited: person.unlimited,
  amount,
  // As many tokens as quota units: a budget in tokens has the same figures as one in quota.
  tokens: amount,
  request: JSON.stringify({ model: 'm', group: 'default', username: person.username, token: 'token' }),
});

/** Takes a hold, waits until it is durable, and returns the held amount. */
export async function hold(ledger: RequestLedger, request: ReserveRequest): Promise<number> {
  const reservation: Reservation = await ledger.reserve(request);
  await reservation.durable;
  return reservation.amount;
}

export const logOf = (person: Person, requestId: string, channelId: number): SettlementLog => ({
  user_id: person.userId,
  created_at: 1_700_000_000,
  type: 2,
  content: '模型倍率 1.00',
  username: person.username,
  token_name: 'token',
  model_name: 'm',
  prompt_tokens: 3,
  completion_tokens: 4,
  use_time: 1,
  is_stream: 0,
  channel_id: channelId,
  token_id: person.tokenId,
  group: 'default',
  other: '{}',
  request_id: requestId,
  team_id: person.teamId ?? 0,
  cost: null,
  tags: null,
});

/** A settlement with a log row and hourly sums. */
export const bill = (person: Person, requestId: string, amount: number, channelId = 0): Settlement => ({
  requestId,
  amount,
  tokens: amount,
  channelId,
  counts: true,
  log: logOf(person, requestId, channelId),
  hourly: { modelName: 'm', username: person.username, tokens: 7, at: 1_700_000_000 },
});

/** The figures of a person's rows. */
export async function readFigures(store: Store, person: Person) {
  const account = await store.db
    .selectFrom('accounts')
    .selectAll()
    .where('id', '=', person.accountId)
    .executeTakeFirstOrThrow();
  const token = await store.db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', person.tokenId)
    .executeTakeFirstOrThrow();
  const user = await store.db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', person.userId)
    .executeTakeFirstOrThrow();
  return {
    balance: account.balance,
    held: account.held,
    remain: token.remain_quota,
    tokenHeld: token.held,
    tokenUsed: token.used_quota,
    used: user.used_quota,
    requests: user.request_count,
    reward: user.aff_quota,
  };
}
