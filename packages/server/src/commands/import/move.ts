import { product } from '@tollgate/contract';
import { authenticators, identities, movedIn, setups, type Db } from '../../store/index.ts';
import { seconds } from '../../lib/clock.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import { authenticatorPlace } from '../../services/people/factors/index.ts';
import {
  openBooks,
  type OpeningCredit,
  type OpeningToken,
  type OpeningWallet,
  type VerbContext,
} from '../../services/money/ledger/index.ts';
import { sealCode } from '../../services/money/redemptions/index.ts';
import { adoptToken } from '../../services/people/tokens/index.ts';
import { moveChannels } from './channels/move-channels.ts';
import { checkMoved } from './check-moved.ts';
import { type Ids, idsOf, rootOf } from './kit/ids.ts';
import { moveOptions, pricedByExpression } from './options.ts';
import { planPrices } from './prices/move-prices.ts';
import type { SourceBudget } from './kit/translated.ts';
import type { Move } from './move-parts.ts';
import { leftTables } from './read-source.ts';
import { countsDollars } from './kit/detect.ts';
import { counting, ImportRefused, noteSome } from './kit/report.ts';
import { endsItsGroup, moveSubscriptions } from './move-subscriptions.ts';
import { importName, markOf } from './target.ts';
import { moveBudgets, type MovedTeams, moveTeams, teamWallets } from './teams.ts';
import { adoptedToken, allowanceOf, type SourceToken } from './tokens.ts';
import { type SourceUser, userRow } from './users.ts';

/**
 * Writes everything except the log, in the transaction of `money`, and compares it with the source before the commit.
 * Throws ImportRefused if any sum differs, so that nothing is written.
 */
export async function moveAll(money: VerbContext, move: Move): Promise<Ids> {
  const { db } = money;
  const { data, report, taken } = move;
  const before = await movedIn.moneyThere(db);
  const ids = idsOf(taken, data.users);
  const accounts = await moveUsers(db, move, ids);
  const teams = await moveTeams(db, move, ids, taken.last.account + accounts.size + 1);
  const tokens = await moveTokens(db, move, ids, teams);
  const payers = new Map(tokens.map((token) => [token.id, payerOf(token, accounts, teams)]));
  const payer = ({ tokenId, userId, teamId }: SourceBudget): number =>
    payers.get(tokenId) ?? teams.get(teamId)?.accountId ?? accounts.get(userId)!;
  const uses = await moveBudgets(db, move, ids, { teams, payer });
  await openBooks(money, {
    name: importName(move.source),
    mark: markOf({ fingerprint: move.fingerprint, taken }),
    reason: `moved in from ${move.source.program}`,
    wallets: [...buildWallets(move, ids, accounts), ...teamWallets(move, teams)],
    tokens: openingTokens(move, ids, payers, tokens),
    credits: openingCredits(move, ids, accounts),
    uses,
  });
  await moveCodes(db, move, ids);
  await moveSubscriptions(db, move, ids);
  const plan = planPrices(data.prices, data.channels);
  const pricing = await moveOptions({ db, ...move, prices: data.prices, plan }, data.options);
  const withheld = pricedByExpression(data.options);
  const { conflicts } = plan;
  const moving = { db, sealer: move.sealer, ids, report, withheld, conflicts };
  const offered = await moveChannels(moving, data.channels);
  report.unpriced.push(...[...offered].toSorted().filter((model) => !pricing.isPriced(model)));
  noteBilling(move);
  if (data.missing.length > 0)
    report.notes.push(
      `Columns that this source does not have, so that nothing of them is carried: ${data.missing.join(', ')}`,
    );
  if (withheld.size > 0)
    report.notes.push(
      `Models priced by expressions, which ${product.name} cannot compute; no channel offers them: ${[...withheld].join(', ')}`,
    );
  for (const [table, words] of Object.entries(leftTables))
    noteSome(report, data.others[table] ?? 0, `Rows of ${table} that stay behind (${words})`);
  report.notes.push(...data.notes);
  await movedIn.numberOn(db);
  // A source without root leaves the set-up to be done, which creates root.
  if (taken.root || rootOf(data.users)) await setups.create(db, move.version, seconds(move.clock));
  else
    report.notes.push(
      `The source has no root: the first start of ${product.name} prints the link of the set-up`,
    );
  await checkMoved(db, move, { ids, tokens, before });
  faultPoint('import-written');
  return ids;
}

/** Writes the missing users; returns the account of each user of the source. */
async function moveUsers(db: Db, move: Move, ids: Ids): Promise<Map<number, number>> {
  const { data, report, taken } = move;
  const { users } = data;
  const count = counting(report, 'users', users.length);
  const root = taken.root ? rootOf(users) : undefined;
  const people = users.filter((user) => user !== root);
  const clash = people.find(({ username }) => username === taken.root?.username);
  // Names that the translation made may be others.
  if (clash && countsDollars(move.source)) clash.username = freeName(clash.username, people);
  else if (clash)
    throw new ImportRefused(
      `user ${clash.id} of the source has the name ${clash.username}, which root has here: rename one of them`,
    );
  const accounts = new Map(people.map((user, index) => [user.id, taken.last.account + 1 + index]));
  await movedIn.addAccounts(db, [...accounts.values()]);
  const own = ({ id, cells }: SourceUser) => ({
    id: ids.user(id),
    accountId: accounts.get(id)!,
    inviterId: cells.whole('inviter_id') === 0 ? 0 : ids.user(cells.whole('inviter_id')),
  });
  const now = seconds(move.clock);
  const rows = people.map((user) => userRow(user, own(user), { sealer: move.sealer, now }));
  await movedIn.addUsers(db, rows);
  count.wrote(people.length);
  if (root && taken.root) {
    accounts.set(root.id, taken.root.accountId);
    count.skipped(`root, whose balance and keys belong to root of ${product.name} now`);
  }
  await moveProofs(db, move, people, ids);
  noteSome(
    report,
    rows.filter(({ password }) => password === '').length,
    'Users without a password that can be taken over',
  );
  noteSome(
    report,
    rows.filter(({ deleted_at: at }) => at !== null).length,
    'Users who were deleted there, and are so here',
  );
  return accounts;
}

/** A name that nobody has, for a person with the name of root. */
function freeName(name: string, people: readonly SourceUser[]): string {
  const taken = new Set(people.map(({ username }) => username));
  for (let n = 2; ; n += 1) if (!taken.has(`${name}-${n}`)) return `${name}-${n}`;
}

/** Identities for sign-in, and second factors. */
async function moveProofs(
  db: Db,
  { data, report, sealer, clock }: Move,
  people: SourceUser[],
  ids: Ids,
): Promise<void> {
  const alive = people.filter(({ deletedAt }) => deletedAt === null);
  let doubled = 0;
  for (const { id, identities: known } of alive)
    for (const identity of known)
      if (!(await identities.add(db, { ...identity, user_id: ids.user(id), created_time: 0 }))) doubled += 1;
  const loose = alive.reduce((sum, { looseIdentities }) => sum + looseIdentities, 0);
  noteSome(
    report,
    doubled,
    'Sign-ins through other sites that belonged to two users, and stay with the first',
  );
  noteSome(
    report,
    loose,
    'Sign-ins through GitHub names or Lark that stay behind (a name may be of somebody else by now: their owners sign in by password or mail and bind them anew)',
  );
  const living = new Set(alive.map(({ id }) => id));
  const count = counting(report, 'second factors', data.factors.length);
  for (const { userId, secret } of data.factors) {
    if (!living.has(userId)) {
      count.skipped('of root or deleted users');
      continue;
    }
    const id = ids.user(userId);
    await authenticators.propose(db, id, sealer.seal(secret, authenticatorPlace(id)));
    await authenticators.confirm(db, id, seconds(clock));
    count.wrote(1);
  }
}

/** The account that pays for a key. */
const payerOf = (
  { userId, teamId }: SourceToken,
  accounts: ReadonlyMap<number, number>,
  teams: MovedTeams,
): number => teams.get(teamId)?.accountId ?? accounts.get(userId)!;

/** Writes the keys that are not deleted; returns them. */
async function moveTokens(db: Db, move: Move, ids: Ids, teams: MovedTeams): Promise<SourceToken[]> {
  const { data, report } = move;
  const count = counting(report, 'keys', data.tokens.length);
  const owners = new Map(data.users.map((user) => [user.id, user]));
  let unread = 0;
  const kept = data.tokens.filter((token) => {
    const owner = owners.get(token.userId);
    const isOwned = owner !== undefined && owner.deletedAt === null;
    const reason = token.isDeleted ? 'deleted' : isOwned ? '' : 'of nobody or a deleted user';
    if (reason !== '') count.skipped(reason);
    return reason === '';
  });
  const rows = kept.map((token) => {
    const teamId = teams.get(token.teamId)?.id ?? 0;
    const own = { id: ids.token(token.id), userId: ids.user(token.userId), teamId };
    const { row, fault } = adoptToken(adoptedToken(token, own), move);
    if (fault) unread += 1;
    return row;
  });
  await movedIn.addTokens(db, rows);
  count.wrote(rows.length);
  noteSome(report, unread, 'Keys whose list of addresses cannot be read, and admits nobody');
  return kept;
}

function buildWallets(
  { data, source, report }: Move,
  ids: Ids,
  accounts: ReadonlyMap<number, number>,
): OpeningWallet[] {
  return data.users.map(({ id, username, quota, used, reward }) => {
    if (quota < 0) report.negative.push({ id, username, quota });
    return {
      txn: `${importName(source)}:user:${id}`,
      userId: ids.user(id),
      accountId: accounts.get(id)!,
      balance: Math.max(0, quota),
      debt: Math.max(0, -quota),
      used,
      reward,
    };
  });
}

/** What is left of subscriptions, until the end of each, or until it is refilled. */
function openingCredits(
  { data, source, report }: Move,
  ids: Ids,
  accounts: ReadonlyMap<number, number>,
): OpeningCredit[] {
  const limited = data.subscriptions.filter(({ left, refills }) => left > 0 || refills);
  noteSome(
    report,
    limited.filter(({ refills }) => !refills).length,
    'Subscriptions that ran, of which what was left is credit until their end',
  );
  return limited.map(({ id, userId, left, expiresAt }) => ({
    txn: `${importName(source)}:subscription:${id}`,
    userId: ids.user(userId),
    accountId: accounts.get(userId)!,
    amount: left,
    expiresAt,
  }));
}

const openingTokens = (
  { source }: Move,
  ids: Ids,
  payers: ReadonlyMap<number, number>,
  tokens: readonly SourceToken[],
): OpeningToken[] =>
  tokens.map((token) => ({
    txn: `${importName(source)}:token:${token.id}`,
    userId: token.teamId === 0 ? ids.user(token.userId) : 0,
    accountId: payers.get(token.id)!,
    tokenId: ids.token(token.id),
    remain: allowanceOf(token),
    used: token.used,
  }));

async function moveCodes(db: Db, { data, report, sealer }: Move, ids: Ids): Promise<void> {
  const count = counting(report, 'redemption codes', data.codes.length);
  const rows = data.codes.map((code) => ({
    id: ids.redemption(code.id),
    user_id: ids.user(code.userId),
    ...sealCode(sealer, code.key),
    status: code.status,
    name: code.name.slice(0, 255),
    quota: code.quota,
    created_time: code.createdTime,
    redeemed_time: code.redeemedTime,
    expired_time: code.expiredTime,
    used_user_id: code.usedUserId === 0 ? 0 : ids.user(code.usedUserId),
    deleted_at: null,
  }));
  await movedIn.addRedemptions(db, rows);
  count.wrote(rows.length);
}

/** Billing rules that differ between the programs, independent of a model's price. */
function noteBilling({ data, report, source }: Move): void {
  const { notes } = report;
  if (source.program === 'one-api')
    notes.push(
      `one-api rounds each charge up to a whole unit (speech down), ${product.name} to the nearest: a call may cost one unit more or less`,
      `one-api counts the first token of a stream of Claude twice; ${product.name} does not`,
    );
  if (source.program === 'new-api')
    notes.push(
      `new-api removes service_tier, inference_geo, safety_identifier and stream_options.include_obfuscation from requests unless a channel allows them; ${product.name} passes them on, and a tier costs the vendor price of that tier while callers pay the usual one`,
      `Searches and tools of a call have ${product.name}'s prices, which are the vendors' (new-api: 10 dollars for 1,000 searches, 25 for gpt-4o and gpt-4.1)`,
    );
  for (const subscription of data.subscriptions) {
    const { userId, group, groupAfter, end } = subscription;
    if (group !== '' && !endsItsGroup(subscription))
      notes.push(
        `User ${userId} is in the group ${group} by a subscription that would end on ${new Date(end * 1000).toISOString().slice(0, 10)}: ${product.name} does not end it, so put them into ${groupAfter || 'their own group'} then`,
      );
  }
}
