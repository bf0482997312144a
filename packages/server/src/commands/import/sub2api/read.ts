import { redemptionStatus, role, tokenStatus, userStatus } from '@tollgate/contract';
import type { ForeignDatabase, ForeignRow } from '../../../store/index.ts';
import { openAesGcm } from '../kit/aes-gcm.ts';
import { type Cells, readCells } from '../kit/cells.ts';
import {
  createNames,
  rateOptions,
  type SourceBudget,
  type Translated,
  unitsOf,
  unlimitedTokens,
  viewOf,
} from '../kit/translated.ts';
import { channelOf } from './channels.ts';

const daySeconds = 86_400;
/** Limits of a subscription: the column, its period and the length of its window in days. */
const limits = [
  ['daily', 'day', 1],
  ['weekly', 'week', 7],
  ['monthly', 'month', 30],
] as const;

const identities: Readonly<Record<string, string>> = {
  github: 'github_id',
  linuxdo: 'linux_do_id',
  oidc: 'oidc_id',
};

interface Options {
  variables: Readonly<Record<string, string | undefined>>;
  /** Unix seconds. */
  now: number;
}

/**
 * Reads a database of sub2api: people with balances in dollars, keys in clear text, groups with a ratio, accounts of
 * vendors and subscriptions of groups. The first administrator is root.
 */
export async function readSub2api(
  foreign: ForeignDatabase,
  { variables, now }: Options,
): Promise<Translated> {
  const read = async (table: string): Promise<Cells[]> =>
    (await foreign.all(table, [...(foreign.tables.get(table) ?? [])])).map((row) => readCells(row, table));
  const living = async (table: string): Promise<Cells[]> =>
    (await read(table)).filter((cells) => cells.date('deleted_at') === null);
  const notes: string[] = [];
  const note = (number: number, what: string): void => void (number > 0 && notes.push(`${what}: ${number}`));

  const groups = new Map((await living('groups')).map((cells) => [cells.whole('id'), cells]));
  const groupName = (id: number): string => groups.get(id)?.text('name') ?? '';
  const keys = await living('api_keys');
  const users = await read('users');
  const people = users.filter((cells) => cells.date('deleted_at') === null);
  const first = people.find((cells) => cells.text('role') === 'admin')?.whole('id');
  const nameOf = createNames();
  const byUser = (rows: readonly Cells[]) => Map.groupBy(rows, (row) => row.whole('user_id'));
  const known = byUser(await read('auth_identities'));
  const allowed = byUser(await read('user_allowed_groups'));
  const keysOf = byUser(keys);
  /** The exclusive group of a person: only their own group opens it for them. */
  const ownGroup = (userId: number): string => {
    const rows = [...(keysOf.get(userId) ?? []), ...(allowed.get(userId) ?? [])];
    const exclusive = rows
      .map((row) => row.whole('group_id'))
      .find((id) => groups.get(id)?.flag('is_exclusive') === true);
    return exclusive === undefined ? 'default' : groupName(exclusive);
  };
  const userRows = users.map((cells): ForeignRow => {
    const id = cells.whole('id');
    const isAdmin = cells.text('role') === 'admin';
    return {
      id,
      username: nameOf(cells.text('username'), cells.text('email')),
      display_name: cells.text('username'),
      password: cells.text('password_hash'),
      role: id === first ? role.root : isAdmin ? role.admin : role.common,
      status: cells.text('status') === 'active' ? userStatus.enabled : userStatus.disabled,
      email: cells.text('email'),
      // What running work holds was taken from the balance.
      quota: unitsOf(cells.real('balance') + cells.real('frozen_balance')),
      used_quota: 0,
      group: ownGroup(id),
      remark: cells.text('notes').slice(0, 255),
      created_at: cells.date('created_at') ?? now,
      deleted_at: cells.date('deleted_at') === null ? null : new Date(cells.date('deleted_at')! * 1_000),
      ...Object.fromEntries(
        (known.get(id) ?? [])
          .filter((row) => identities[row.text('provider_type')] !== undefined)
          .map((row) => [identities[row.text('provider_type')], row.text('provider_subject')]),
      ),
    };
  });
  const factors = people
    .filter((cells) => cells.flag('totp_enabled'))
    .map((cells, index): ForeignRow => ({
      id: index + 1,
      user_id: cells.whole('id'),
      secret: openSecret(cells.text('totp_secret_encrypted'), variables['TOTP_ENCRYPTION_KEY'] ?? ''),
      is_enabled: true,
    }));

  const budgets: SourceBudget[] = [];
  const common = {
    tokenId: 0,
    userId: 0,
    teamId: 0,
    model: '',
    unit: 'quota' as const,
    mode: 'hard' as const,
    maxCalls: 0,
  };
  const left = { hours: 0, blocked: 0, groups: 0 };
  const tokens = keys.map((cells): ForeignRow => {
    const id = cells.whole('id');
    const quota = unitsOf(cells.real('quota'));
    const used = Math.max(0, unitsOf(cells.real('quota_used')));
    const group = cells.whole('group_id');
    if (group !== 0 && !groups.has(group)) left.groups += 1;
    if (cells.list('ip_blacklist').length > 0) left.blocked += 1;
    if (cells.real('rate_limit_5h') > 0) left.hours += 1;
    for (const [column, period, days] of [
      ['1d', 'day', 1],
      ['7d', 'week', 7],
    ] as const) {
      const limit = unitsOf(cells.real(`rate_limit_${column}`));
      const start = cells.date(`window_${column}_start`) ?? 0;
      const spent = start + days * daySeconds > now ? Math.max(0, unitsOf(cells.real(`usage_${column}`))) : 0;
      if (limit > 0)
        budgets.push({ ...common, tokenId: id, name: column, period, amount: limit, used: spent });
    }
    const isOn = ['active', 'quota_exhausted', 'expired'].includes(cells.text('status'));
    return {
      id,
      user_id: cells.whole('user_id'),
      key: cells.text('key'),
      // Keys that block addresses would be open to these here.
      status:
        isOn && cells.list('ip_blacklist').length === 0 && (group === 0 || groups.has(group))
          ? tokenStatus.enabled
          : tokenStatus.disabled,
      name: cells.text('name'),
      group: groupName(group),
      created_time: cells.date('created_at') ?? now,
      accessed_time: cells.date('last_used_at') ?? 0,
      expired_time: cells.date('expires_at') ?? -1,
      unlimited_quota: quota <= 0,
      remain_quota: quota <= 0 ? 0 : Math.max(0, quota - used),
      used_quota: used,
      allow_ips: cells.list('ip_whitelist').join('\n'),
    };
  });
  for (const cells of people)
    if (cells.whole('rpm_limit') > 0)
      budgets.push({
        ...common,
        userId: cells.whole('id'),
        name: 'per minute',
        period: 'minute',
        unit: 'tokens',
        amount: unlimitedTokens,
        maxCalls: cells.whole('rpm_limit'),
        used: 0,
      });

  const subscriptions = (await living('user_subscriptions'))
    .filter((cells) => cells.text('status') === 'active' && (cells.date('expires_at') ?? 0) > now)
    .map((cells): ForeignRow => {
      const group = groups.get(cells.whole('group_id'));
      const userId = cells.whole('user_id');
      const end = cells.date('expires_at') ?? 0;
      const rests: number[] = [];
      for (const [column, period, days] of limits) {
        const limit = unitsOf(group?.real(`${column}_limit_usd`) ?? 0);
        if (limit <= 0) continue;
        const start = cells.date(`${column}_window_start`) ?? 0;
        const used =
          start + days * daySeconds > now ? Math.max(0, unitsOf(cells.real(`${column}_usage_usd`))) : 0;
        rests.push(Math.max(0, limit * Math.ceil((end - now) / (days * daySeconds)) - used));
        const name = `${column} of ${groupName(cells.whole('group_id'))}`;
        budgets.push({ ...common, userId, group: group!.text('name'), name, period, amount: limit, used });
      }
      if (rests.length === 0)
        throw new Error(
          `the subscription ${cells.whole('id')} of user ${userId} has no limit and cannot become credit: end it in the old program, give them there what it is worth, and import again`,
        );
      return {
        id: cells.whole('id'),
        user_id: userId,
        amount_total: Math.min(...rests),
        amount_used: 0,
        end_time: end,
        status: 'active',
        next_reset_time: 0,
      };
    });

  const codes = await read('redeem_codes');
  const proxies = new Map((await living('proxies')).map((cells) => [cells.whole('id'), proxyOf(cells)]));
  const members = Map.groupBy(await read('account_groups'), (row) => row.whole('account_id'));
  const channels = (await living('accounts')).map((cells) =>
    channelOf(cells, {
      groups: (members.get(cells.whole('id')) ?? [])
        .map((row) => groupName(row.whole('group_id')))
        .filter((name) => name !== ''),
      proxy: proxies.get(cells.whole('proxy_id')) ?? '',
      now,
    }),
  );
  const active = [...groups.values()].filter((cells) => cells.text('status') === 'active');
  const table = (entries: readonly (readonly [string, unknown])[]): string =>
    JSON.stringify(Object.fromEntries(entries));
  const options: Record<string, string> = {
    GroupRatio: table([
      ['default', 1],
      ...active.map((cells) => [cells.text('name'), cells.real('rate_multiplier')] as const),
    ]),
    UserUsableGroups: table([
      ['default', 'default'],
      ...active
        .filter((cells) => !cells.flag('is_exclusive'))
        .map((cells) => [cells.text('name'), cells.text('description') || cells.text('name')] as const),
    ]),
    ...rateOptions(active.map((cells) => [cells.text('name'), cells.whole('rpm_limit')])),
  };
  const balanceCodes = codes.filter((cells) => cells.text('type') === 'balance');
  notes.push(
    'Amounts of sub2api have eight decimals: each is the nearest quota unit, two millionths of a dollar',
  );
  note(
    people.filter((cells) => cells.real('frozen_balance') > 0).length,
    'Balances with an amount that running work held, which is free again',
  );
  note(left.hours, 'Keys with a limit for five hours, which stays behind');
  note(left.blocked, 'Keys that block addresses, which are off');
  note(left.groups, 'Keys of groups that are gone, which are off');
  note(
    subscriptions.length,
    'Subscriptions, of which the credit can be used in other groups too; budgets keep their limits',
  );
  note(codes.length - balanceCodes.length, 'Codes for other things than balance, which stay behind');
  note(
    people.filter((cells) => cells.whole('concurrency') > 0).length,
    'People with a limit of calls at once, which stays behind',
  );
  for (const name of ['usage_logs', 'payment_orders', 'promo_codes', 'settings'])
    note(await foreign.count(name), `Rows of ${name} that stay behind`);
  return {
    view: viewOf(foreign.kind, {
      users: userRows,
      tokens,
      channels,
      two_fas: factors,
      user_subscriptions: subscriptions,
      options: Object.entries(options).map(([key, value]) => ({ key, value })),
      redemptions: balanceCodes.map((cells) => ({
        id: cells.whole('id'),
        user_id: first ?? 0,
        key: cells.text('code'),
        status: cells.text('status') === 'unused' ? redemptionStatus.unused : redemptionStatus.used,
        name: cells.text('notes') || 'sub2api',
        quota: unitsOf(cells.real('value')),
        created_time: cells.date('created_at') ?? now,
        redeemed_time: cells.date('used_at') ?? 0,
        used_user_id: cells.whole('used_by'),
      })),
    }),
    teams: [],
    budgets,
    notes,
  };
}

const proxyOf = (cells: Cells): string => {
  const name = cells.text('username');
  const login =
    name === '' ? '' : `${encodeURIComponent(name)}:${encodeURIComponent(cells.text('password'))}@`;
  return `${cells.text('protocol') || 'http'}://${login}${cells.text('host')}:${cells.whole('port')}`;
};

/** The secret of an authenticator app. Throws without the key: its owner would lose this protection. */
function openSecret(sealed: string, key: string): string {
  try {
    return openAesGcm(Buffer.from(sealed, 'base64'), Buffer.from(key, 'hex'));
  } catch {
    throw new Error(
      'second factors of sub2api are encrypted: set TOTP_ENCRYPTION_KEY to what it had (totp.encryption_key)',
    );
  }
}
