import { Secret } from 'otpauth';
import { sha256 } from '../../lib/hash.ts';
import { adoptedHash } from '../../services/people/tokens/index.ts';
import type { ForeignDatabase } from '../../store/index.ts';
import { readChannels, type SourceChannel } from './channels/read-channels.ts';
import { readCells } from './kit/cells.ts';
import { columnsOf, missingColumns } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';
import type { SourceBudget, SourceTeam, Translated } from './kit/translated.ts';
import { readLitellm } from './litellm/read.ts';
import { readOneHub } from './one-hub/read.ts';
import { readSub2api } from './sub2api/read.ts';
import { readOptions, type SourceOptions } from './options.ts';
import { defaultsOf } from './prices/old-defaults.ts';
import { type OldPrices, oldPrices } from './prices/old-prices.ts';
import { readCodes, type SourceCode } from './redemptions.ts';
import { readSubscriptions, type SourceSubscription } from './subscriptions.ts';
import { readTokens, type SourceToken } from './tokens.ts';
import { readUsers, type SourceUser } from './users.ts';

/** An authenticator app of a user. */
interface SourceFactor {
  userId: number;
  /** Base 32. */
  secret: string;
}

/** Enabled second factors. Throws for an unreadable secret, because its owner would lose this protection. */
async function readFactors(foreign: ForeignDatabase, source: Source): Promise<SourceFactor[]> {
  const rows = await foreign.all('two_fas', columnsOf('two_fas', source));
  return rows.flatMap((row) => {
    const cells = readCells(row, 'two_fas');
    if (!cells.flag('is_enabled') || cells.date('deleted_at') !== null) return [];
    const userId = cells.whole('user_id');
    const secret = cells.text('secret').toUpperCase();
    if (!isBase32(secret)) throw new Error(`the second factor of user ${userId} cannot be read`);
    return { userId, secret };
  });
}

function isBase32(text: string): boolean {
  try {
    return text !== '' && Secret.fromBase32(text).bytes.length > 0;
  } catch {
    return false;
  }
}

/** All of the source except its log, at one moment. */
export interface SourceData {
  users: SourceUser[];
  tokens: SourceToken[];
  channels: SourceChannel[];
  codes: SourceCode[];
  options: SourceOptions;
  subscriptions: SourceSubscription[];
  factors: SourceFactor[];
  teams: readonly SourceTeam[];
  budgets: readonly SourceBudget[];
  /** Prices as applied by its program. */
  prices: OldPrices;
  /** Columns that its program has and this database does not have. */
  missing: string[];
  /** Rows of tables that Tollgate does not import, by table. */
  others: Record<string, number>;
  /** What a translation of the source changed or left out. */
  notes: readonly string[];
}

/** What the source does not say itself. */
export interface SourceTerms {
  /** Variables of its program: its secrets, and keys of vendors. */
  variables: Readonly<Record<string, string | undefined>>;
  /** US dollars with which everybody starts who has no balance there; undefined if nobody said. */
  credit: number | undefined;
  /** Unix seconds. */
  now: number;
}

/** Tables that are not imported, and their content. */
export const leftTables = {
  two_fa_backup_codes: 'recovery codes of second factors: their owners make new ones',
  passkey_credentials: 'passkeys: their owners sign in by password and add them anew',
  user_oauth_bindings: 'sign-ins through providers that an administrator added',
  top_ups: 'orders of quota: what was paid is in the balances; let pending ones end in the old program',
  subscription_orders: 'orders of subscriptions',
  midjourneys: 'drawings: let running ones end in the old program',
  tasks: 'tasks: let running ones end in the old program',
  quota_data: 'hourly sums of the dashboard, which begins anew',
} as const;

/** Reads everything. Throws an error for the operator if required data cannot be imported. */
export async function readSource(
  database: ForeignDatabase,
  source: Source,
  terms: SourceTerms,
): Promise<SourceData> {
  const { view: foreign, teams, budgets, notes } = await translate(database, source, terms);
  const others: Record<string, number> = {};
  for (const table of Object.keys(leftTables)) others[table] = await foreign.count(table);
  const options = await readOptions(foreign, source);
  const users = await readUsers(foreign, source, terms.now);
  const known = new Set(users.map(({ id }) => id));
  const running = await readSubscriptions(foreign, source, terms.now);
  const subscriptions = running.filter(({ userId }) => known.has(userId));
  const unowned = running.length - subscriptions.length;
  return {
    users,
    tokens: await readTokens(foreign, source),
    channels: await readChannels(foreign, source),
    codes: await readCodes(foreign, source),
    options,
    subscriptions,
    factors: await readFactors(foreign, source),
    teams,
    budgets,
    prices: oldPrices(options, defaultsOf(source, foreign), source.program === 'one-api'),
    missing: missingColumns(foreign, source),
    others,
    notes: unowned === 0 ? notes : [...notes, `Subscriptions of nobody, which stay behind: ${unowned}`],
  };
}

/** A source in the form of new-api. */
async function translate(
  foreign: ForeignDatabase,
  { program }: Source,
  terms: SourceTerms,
): Promise<Translated> {
  if (program === 'one-hub' || program === 'done-hub') return readOneHub(foreign);
  if (program === 'sub2api') return readSub2api(foreign, terms);
  if (program !== 'litellm') return { view: foreign, teams: [], budgets: [], notes: [] };
  const { credit } = terms;
  if (credit === undefined)
    throw new Error(
      'LiteLLM has no balances: say by --credit=<dollars> with how much each person and organisation starts; their budgets apply as before',
    );
  return readLitellm(foreign, { ...terms, credit });
}

/** Hash of people, keys and money that distinguishes two states of a source; reveals nothing about them. */
export const fingerprintOf = (data: SourceData): string =>
  sha256(
    JSON.stringify([
      data.users.map(({ id, username, quota, used, reward }) => [id, username, quota, used, reward]),
      data.tokens.map(({ id, key, remain, used }) => [id, adoptedHash(key), remain, used]),
      data.codes.map(({ id, key, quota, status }) => [id, sha256(key), quota, status]),
      data.subscriptions.map(({ id, stored }) => [id, stored]),
      ...(data.teams.length > 0 ? [data.teams.map(({ id, balance, used }) => [id, balance, used])] : []),
      ...(data.budgets.length > 0 ? [data.budgets.map(({ amount }) => amount)] : []),
    ]),
  );
