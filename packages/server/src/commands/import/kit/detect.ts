import { product } from '@tollgate/contract';
import type { ForeignDatabase } from '../../../store/index.ts';
import { readCells } from './cells.ts';

/** Programs whose databases are read. */
export const programs = ['new-api', 'one-api', 'litellm', 'one-hub', 'done-hub', 'sub2api'] as const;
type Program = (typeof programs)[number];

/** The program whose database is read. */
export interface Source {
  program: Program;
  /** The version by the program's own data, or by its tables. */
  version: string;
}

/** True for programs that count dollars: their prices and logs stay behind, and people are named anew. */
export const countsDollars = ({ program }: Pick<Source, 'program'>): boolean =>
  program === 'litellm' || program === 'sub2api';

/** Other programs, identified by tables that only they have, with the message about them. */
const others: readonly { name: string; is(has: Has): boolean }[] = [
  { name: `${product.name} itself`, is: (has) => has('ledger', 'account_delta') },
  { name: 'an old version of one-hub', is: (has) => has('channels', 'plugin') },
  {
    name: "Laisky's one-api",
    is: (has) => has('channels', 'model_configs') || has('user_request_costs'),
  },
];

type Has = (table: string, column?: string) => boolean;

/** Detects the program by the tables of its database, because channel types have different numbers in each. Throws for other programs, with their name. */
export async function detectSource(foreign: ForeignDatabase): Promise<Source> {
  const has: Has = (table, column) =>
    column === undefined ? foreign.tables.has(table) : (foreign.tables.get(table)?.has(column) ?? false);
  if (has('LiteLLM_VerificationToken', 'token') && has('LiteLLM_UserTable', 'user_id'))
    return { program: 'litellm', version: '' };
  if (
    has('users', 'quota') &&
    has('channels', 'models') &&
    has('prices', 'input') &&
    has('user_groups', 'symbol')
  )
    return { program: has('channels', 'allow_extra_body') ? 'done-hub' : 'one-hub', version: '' };
  if (
    has('users', 'balance') &&
    has('api_keys', 'user_id') &&
    has('accounts', 'credentials') &&
    has('groups', 'rate_multiplier')
  )
    return { program: 'sub2api', version: '' };
  const other = others.find((each) => each.is(has));
  if (other) throw new Error(`this is a database of ${other.name}, which cannot be imported`);
  if (!has('users', 'quota') || !has('tokens', 'remain_quota') || !has('channels', 'models'))
    throw new Error(
      'this is a database of none of the programs that can be imported: tables of theirs are missing',
    );
  if (has('tokens', 'model_limits') && has('channels', 'setting'))
    return { program: 'new-api', version: await detectVersion(foreign, has) };
  if (has('tokens', 'subnet') && has('channels', 'config')) return { program: 'one-api', version: '' };
  throw new Error(
    'this database is too old, or of a program that is not known: new-api has tokens.model_limits, one-api from 0.6.7 tokens.subnet. Start the newest version of the old program on a copy once, which brings its tables up to date, then import that',
  );
}

async function detectVersion(foreign: ForeignDatabase, has: Has): Promise<string> {
  const rows = await foreign.all('setups', ['version']);
  const version = rows.map((row) => readCells(row, 'setups').text('version')).findLast((each) => each !== '');
  return version ?? (has('channels', 'channel_info') ? '0.8.6 or newer' : 'before 0.8.6');
}
