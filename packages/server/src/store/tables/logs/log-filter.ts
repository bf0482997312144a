import { testTokenName } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { DialectHelpers } from '../../dialects/types.ts';
import { startingWith, withWildcards } from '../../like.ts';
import type { Database } from '../../schema/index.ts';
import type { IdRange } from '../log-archive/sides.ts';

/** Filter of log rows; absent fields match any row (docs/compatibility.md#log-lists-and-sums). */
export interface LogFilter {
  /** Exactly this request, or with a final `%` all requests with this prefix: the responses of a realtime session. */
  requestId?: string;
  tokenId?: number;
  userId?: number;
  /** The team that paid. */
  teamId?: number;
  /** Rows that their callers paid for themselves, or those of all teams. */
  paidBy?: 'user' | 'team';
  username?: string;
  tokenName?: string;
  channelId?: number;
  /** A model name, or a pattern with `%` for any text. */
  modelName?: string;
  group?: string;
  /** All of these tags. */
  tags?: readonly Tag[];
  type?: number;
  /** Excludes rows of this type. */
  exceptType?: number;
  /** Unix seconds, included. */
  start?: number;
  /** Unix seconds, included. */
  end?: number;
  /** The rows that count in this database, if there are two. */
  ids?: IdRange;
}

/** A tag of a call; the value is '' for a tag without one. */
export interface Tag {
  name: string;
  value: string;
}

/** The type of consumption rows: nearly all rows, and those excluded from the index over the other types. */
export const CONSUME = 2;

type Logs = ExpressionBuilder<Database, 'logs'>;
type Condition = (eb: Logs) => Expression<SqlBool>;

/** A filter in two parts: conditions that one index answers in order of time, and conditions checked row by row. */
export interface SplitFilter {
  /** At most one column by equality, and the time. */
  indexed: readonly Condition[];
  rest: readonly Condition[];
  /** Set if the rows are read from the index of tags: rows with this tag. */
  tag?: Tag;
}

const equals =
  (
    column: 'request_id' | 'token_id' | 'user_id' | 'channel_id' | 'model_name',
    value: string | number,
  ): Condition =>
  (eb) =>
    eb(column, '=', value);

const isFamily = (requestId: string) => requestId.endsWith('%');

/** Columns that lead an index, the one that leaves the fewest rows first. */
function leading({ requestId, tokenId, teamId, userId, channelId, modelName, type }: LogFilter): Condition[] {
  const candidates: Condition[] = [];
  if (requestId !== undefined && !isFamily(requestId)) candidates.push(equals('request_id', requestId));
  if (tokenId !== undefined) candidates.push(equals('token_id', tokenId));
  if (teamId !== undefined) {
    // The second half is redundant, but lets the database use the index over the rows of teams.
    candidates.push((eb) => eb.and([eb('team_id', '=', teamId), eb('team_id', '<>', sql.lit(0))]));
  }
  if (userId !== undefined) candidates.push(equals('user_id', userId));
  if (type !== undefined && type !== CONSUME) {
    // The second half is redundant, but lets the database use the index over the rare types.
    candidates.push((eb) => eb.and([eb('type', '=', type), eb('type', '<>', sql.lit(CONSUME))]));
  }
  if (channelId !== undefined) candidates.push(equals('channel_id', channelId));
  if (modelName !== undefined && !modelName.includes('%')) candidates.push(equals('model_name', modelName));
  return candidates;
}

/** True for a row with a tag, which is looked up by the id of the row. */
const hasTag =
  ({ name, value }: Tag): Condition =>
  (eb) =>
    eb.exists(
      eb
        .selectFrom('log_tags')
        .select('log_tags.name')
        .whereRef('log_tags.log_id', '=', 'logs.id')
        .where('log_tags.name', '=', name)
        .where('log_tags.value', '=', value),
    );

/** The same for sums, which begin with the rows of the tag. */
const isTagged =
  ({ name, value }: Tag, { start, end }: LogFilter): Condition =>
  (eb) => {
    let ids = eb
      .selectFrom('log_tags')
      .select('log_tags.log_id')
      .where('log_tags.name', '=', name)
      .where('log_tags.value', '=', value);
    if (start !== undefined) ids = ids.where('log_tags.created_at', '>=', start);
    if (end !== undefined) ids = ids.where('log_tags.created_at', '<=', end);
    return eb('logs.id', 'in', ids);
  };

/** Every index contains the id after the time. */
function time({ start, end, ids }: LogFilter): Condition[] {
  const conditions = inIdRange(ids);
  if (start !== undefined) conditions.push((eb) => eb('created_at', '>=', start));
  if (end !== undefined) conditions.push((eb) => eb('created_at', '<=', end));
  return conditions;
}

function inIdRange({ above, upTo }: IdRange = {}): Condition[] {
  const conditions: Condition[] = [];
  if (above !== undefined) conditions.push((eb) => eb('id', '>', above));
  if (upTo !== undefined) conditions.push((eb) => eb('id', '<=', upTo));
  return conditions;
}

/** Conditions that no index answers. */
function plain(filter: LogFilter, { like }: DialectHelpers): Condition[] {
  const { requestId, username, tokenName, modelName, group, type, exceptType, paidBy } = filter;
  const conditions: Condition[] = [];
  // No index: an index on text finds prefixes only with a bytewise order, which not every database has.
  if (requestId !== undefined && isFamily(requestId)) {
    const beginning = startingWith(requestId.slice(0, -1));
    conditions.push((eb) => like(eb.ref('request_id'), beginning));
  }
  if (username !== undefined) conditions.push((eb) => eb('username', '=', username));
  if (tokenName !== undefined) conditions.push((eb) => eb('token_name', '=', tokenName));
  if (group !== undefined) conditions.push((eb) => eb('group', '=', group));
  if (paidBy !== undefined)
    conditions.push((eb) => eb('team_id', paidBy === 'user' ? '=' : '<>', sql.lit(0)));
  if (exceptType !== undefined) conditions.push((eb) => eb('type', '<>', exceptType));
  if (type === CONSUME) conditions.push((eb) => eb('type', '=', CONSUME));
  if (modelName?.includes('%')) {
    conditions.push((eb) => like(eb.ref('model_name'), withWildcards(modelName)));
  }
  return conditions;
}

/** All splits, one for each column that leads an index, the best one first. */
export function splitsOf(filter: LogFilter, dialect: DialectHelpers): [SplitFilter, ...SplitFilter[]] {
  const { tags = [] } = filter;
  const firsts = leading(filter);
  const tagged = tags.map(hasTag);
  const others = plain(filter, dialect);
  const indexed = time(filter);
  const byTag = tags.map((tag, at): SplitFilter => {
    const rest = [...firsts, ...tagged.toSpliced(at, 1), ...others];
    return { indexed, rest, tag };
  });
  const byColumn = firsts.map((first) => ({
    indexed: [first, ...indexed],
    rest: [...firsts.filter((each) => each !== first), ...tagged, ...others],
  }));
  const [split, ...more] = [...byTag, ...byColumn];
  return split ? [split, ...more] : [{ indexed, rest: others }];
}

/** All conditions together, for sums of charges, without tests of channels. */
export function chargedFilter(filter: LogFilter, dialect: DialectHelpers): (eb: Logs) => Expression<SqlBool> {
  const all = wholeFilter(filter, dialect);
  // A token may have any name; tests have no token.
  return (eb) => eb.and([all(eb), eb.or([eb('token_id', '<>', 0), eb('token_name', '<>', testTokenName)])]);
}

/** All conditions together. */
export function wholeFilter(filter: LogFilter, dialect: DialectHelpers): (eb: Logs) => Expression<SqlBool> {
  const tagged = (filter.tags ?? []).map((tag) => isTagged(tag, filter));
  const all = [...tagged, ...leading(filter), ...time(filter), ...plain(filter, dialect)];
  return (eb) => eb.and(all.map((condition) => condition(eb)));
}
