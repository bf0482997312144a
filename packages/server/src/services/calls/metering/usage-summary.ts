import { logType, tagsToFind, type UsageSummary } from '@tollgate/contract';
import { type Db, logSums, teams } from '../../../store/index.ts';
import { fieldsOf, median } from './read-other.ts';

/**
 * Sums of the log for the dashboard, in a time range. Times are Unix seconds, both ends included; 0 for none. A text of
 * tags limits them to calls with these tags.
 */
export interface UsageSummaries {
  /** Of all users, or of the one with this name. */
  ofAll(start: number, end: number, username: string, tag?: string): Promise<UsageSummary>;
  own(userId: number, start: number, end: number, tag?: string): Promise<UsageSummary>;
}

export interface UsageSummaryDeps {
  /** A separate connection, so that reports do not block other work. */
  reports: Db;
  /** True if both successful and failed calls are logged; otherwise there is no success rate. */
  errorsLogged: () => boolean;
  /** True for models with a price at present. */
  isPriced: (model: string) => boolean;
}

/** Maximum number of summed rows: the newest ones count, and the summary has the start of the summed time. */
const rowBound = 200_000;
/** Number of calls that is sufficient for a median. */
const streamSample = { window: 5_000, limit: 500 };
const tagSample = { window: 5_000, limit: 500 };
const tokensShown = 10;
/** Number of the newest failures that are classified by kind. */
const errorSample = 5_000;
const kindsShown = 6;
const unpricedShown = 5;

/** Opens the summaries of the dashboard. */
export function createUsageSummaries({ reports, errorsLogged, isPriced }: UsageSummaryDeps): UsageSummaries {
  const summarise = async (
    whose: Pick<logSums.SumFilter, 'userId' | 'username'>,
    when: Omit<logSums.SumFilter, 'userId' | 'username'>,
  ): Promise<UsageSummary> => {
    const filter = { ...whose, ...when };
    const since = await logSums.sinceFor(reports, filter, rowBound);
    const within = { ...filter, start: since };
    const [calls, failures, streams, tokens, tagged] = await Promise.all([
      logSums.countOfType(reports, within, logType.consume),
      errorsLogged() ? countFailures(reports, within) : null,
      logSums.newestStreams(reports, within, streamSample),
      logSums.topTokens(reports, within, tokensShown),
      logSums.newestTags(reports, whose, tagSample),
    ]);
    const waits = streams.map(firstTokenMs).filter((ms) => ms !== null);
    return {
      since,
      calls,
      errors: failures?.calls ?? null,
      error_kinds: failures?.kinds ?? [],
      unpriced_models: (failures?.unpriced ?? [])
        .filter(({ model_name: model }) => !isPriced(model))
        .slice(0, unpricedShown),
      first_token_ms: median(waits),
      first_token_calls: waits.length,
      tokens: await withTeams(reports, tokens),
      tags: namesIn(tagged),
    };
  };
  return {
    ofAll: (start, end, username, tag = '') =>
      summarise(username === '' ? {} : { username }, { ...spanOf(start, end), ...withTags(tag) }),
    own: (userId, start, end, tag = '') => summarise({ userId }, { ...spanOf(start, end), ...withTags(tag) }),
  };
}

/** The same sums with the present names of teams. */
async function withTeams(db: Db, sums: readonly logSums.TokenSum[]): Promise<UsageSummary['tokens']> {
  const ids = new Set(sums.map((sum) => sum.team_id));
  ids.delete(0);
  const found = ids.size > 0 ? await teams.findMany(db, [...ids]) : [];
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return sums.map((sum) => ({ ...sum, team_name: names.get(sum.team_id) ?? '' }));
}

type ErrorKind = UsageSummary['error_kinds'][number];
type ModelCount = UsageSummary['unpriced_models'][number];

interface Failures {
  calls: number;
  kinds: ErrorKind[];
  /** Refused for lack of a price, by model. */
  unpriced: ModelCount[];
}

/** Number of failed calls by code, and of those without a price by model, the most frequent first. */
async function countFailures(db: Db, filter: logSums.SumFilter): Promise<Failures> {
  const [rows, newest] = await Promise.all([
    logSums.countOfType(db, filter, logType.error),
    logSums.newestOthers(db, filter, logType.error, errorSample),
  ]);
  const kinds = new Map<string, ErrorKind>();
  const unpriced = new Map<string, number>();
  let calls = rows;
  for (const { model_name: model, other } of newest) {
    const { status, code, count } = errorOf(other);
    const key = `${status} ${code}`;
    const kind = kinds.get(key) ?? { status, code, count: 0 };
    kind.count += count;
    kinds.set(key, kind);
    if (code === unpricedCode) unpriced.set(model, (unpriced.get(model) ?? 0) + count);
    // A row may count several calls of one minute.
    calls += count - 1;
  }
  const sorted = [...kinds.values()].toSorted((a, b) => b.count - a.count || b.status - a.status);
  return {
    calls,
    kinds: sorted.slice(0, kindsShown),
    unpriced: [...unpriced]
      .map(([model_name, count]) => ({ model_name, count }))
      .toSorted((a, b) => b.count - a.count),
  };
}

/** Error code of calls to models without a price. */
const unpricedCode = 'model_price_error';

/** Error kind of a failed call by its row; rows of other programs may have none. */
function errorOf(other: string): ErrorKind {
  const fields = fieldsOf(other);
  const { status_code: status, error_code: code, failed_calls: calls } = fields;
  return {
    status: typeof status === 'number' ? status : 0,
    code: typeof code === 'string' ? code : '',
    count: typeof calls === 'number' && calls > 0 ? calls : 1,
  };
}

/** Names of tags, the most frequent first. */
function namesIn(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const name of Object.keys(fieldsOf(text))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .toSorted(([nameA, a], [nameB, b]) => b - a || (nameA < nameB ? -1 : 1))
    .map(([name]) => name);
}

/** The condition of a text of tags; none for ''. */
export const withTags = (text: string): Pick<logSums.SumFilter, 'tags'> =>
  text === '' ? {} : { tags: tagsToFind(text) };

const spanOf = (start: number, end: number): logSums.SumFilter => ({
  ...(start === 0 ? {} : { start }),
  ...(end === 0 ? {} : { end }),
});

/** Time to the first token by a log row (`frt`, docs/compatibility.md#log-row); null if unknown. */
function firstTokenMs(other: string): number | null {
  const { frt: ms } = fieldsOf(other);
  return typeof ms === 'number' && ms >= 0 ? ms : null;
}
