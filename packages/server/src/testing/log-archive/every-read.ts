import {
  bookWindows,
  type Db,
  logs,
  logSums,
  marginSums,
  personalData,
  pricedRows,
  quotaData,
  upstreamSums,
} from '../../store/index.ts';

/** Parameters of the reads. Times are Unix seconds. */
export interface ReadOf {
  now: number;
  requestIds: readonly string[];
  /** Ledger entries of the test have higher ids than this. */
  ledgerFrom: number;
}

const day = 86_400;

/** Results of every log read, without ids, because each database assigns its own. */
export async function everyRead(db: Db, about: ReadOf): Promise<Record<string, unknown>> {
  const answers = { ...(await lists(db, about)), ...(await sums(db, about)), ...(await others(db, about)) };
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      JSON.parse(JSON.stringify(answer ?? null, withoutId)),
    ]),
  );
}

const withoutId = (key: string, value: unknown) => (key === 'id' ? undefined : value);

async function lists(db: Db, { now, requestIds }: ReadOf): Promise<Record<string, unknown>> {
  const filters: logs.LogFilter[] = [
    {},
    { userId: 1 },
    { username: 'ann', type: 2 },
    { modelName: 'a' },
    { modelName: 'a%', group: 'vip' },
    { teamId: 7 },
    { type: 6 },
    { start: now - 3 * 3600, end: now - 3600 },
    { requestId: requestIds[0] ?? 'none' },
  ];
  const answers: Record<string, unknown> = {};
  for (const filter of filters) {
    const key = JSON.stringify(filter);
    for (const offset of filter.modelName === 'a%' || filter.userId === 1 ? [0, 3, 40] : [0])
      answers[`list ${key} ${offset}`] = await logs.list(db, filter, { offset, limit: 3 });
    answers[`stat ${key}`] = await logs.stat(db, filter, now);
  }
  answers.search = await logs.search(db, { keyword: 'te', limit: 5 });
  answers.searchType = await logs.search(db, { keyword: '6', userId: 1, limit: 5 });
  answers.ofToken = await logs.ofToken(db, 5, 4);
  answers.countBefore = await logs.countBefore(db, now - 3600);
  for (const requestId of requestIds.slice(0, 3)) {
    const row = await logs.findConsumption(db, requestId);
    answers[`consumption ${requestId}`] = row ?? null;
    answers[`found ${requestId}`] = (row && (await logs.find(db, row.id))) ?? null;
    answers[`refunds ${requestId}`] = await logs.findRefunds(db, requestId);
  }
  return answers;
}

async function sums(db: Db, { now }: ReadOf): Promise<Record<string, unknown>> {
  const span = { start: now - day, end: now };
  const answers: Record<string, unknown> = {};
  for (const filter of [{}, { userId: 1 }, span]) {
    const key = JSON.stringify(filter);
    answers[`since ${key}`] = await logSums.sinceFor(db, filter, 10_000);
    answers[`count ${key}`] = await logSums.countOfType(db, filter, 2);
    // For a user with several names, any of them is correct.
    answers[`tokens ${key}`] = nameless(await logSums.topTokens(db, filter, 2));
    answers[`streams ${key}`] = await logSums.newestStreams(db, filter, { window: 100, limit: 3 });
    answers[`others ${key}`] = await logSums.newestOthers(db, filter, 2, 3);
  }
  for (const by of ['channel', 'model', 'user', 'team', 'day'] as const)
    answers[`margins ${by}`] = (await marginSums.marginSums(db, by, span)).toSorted(byText);
  const upstream = await upstreamSums.upstreamSums(db, { channels: [1, 2], ...span });
  answers.upstream = upstream.toSorted(byText);
  answers.paidByTeams = (await quotaData.paidByTeams(db, 1, span)).toSorted(byText);
  answers.firstWholeHour = await quotaData.firstWholeHour(db);
  const fromLedger = await quotaData.fromLedger(db, span);
  answers.fromLedger = nameless(fromLedger).toSorted(byText);
  return answers;
}

async function others(db: Db, { now, ledgerFrom }: ReadOf): Promise<Record<string, unknown>> {
  const filter = { start: now - day, end: now, models: ['a', 'b'], channelId: 0, userId: 0 };
  const { after, upTo } = await pricedRows.findIdRange(db, filter);
  const priced = [];
  for (let from = after; ;) {
    const rows = await pricedRows.next(db, filter, { after: from, upTo }, 4);
    priced.push(...rows);
    if (rows.length < 4) break;
    from = rows.at(-1)!.id;
  }
  const exported = [];
  for (let behind = { after: 0, at: 0 }; ;) {
    const rows = await personalData.log(db, { userId: 1, limit: 4, ...behind });
    exported.push(...rows);
    if (rows.length < 4) break;
    behind = { after: rows.at(-1)!.id, at: rows.at(-1)!.created_at };
  }
  const { mislogged } = await bookWindows.faultsWithin(db, { after: ledgerFrom, upTo: 1e9 });
  return { priced, exported, mislogged: mislogged.toSorted(byText) };
}

const nameless = (rows: readonly object[]): object[] => rows.map((row) => ({ ...row, username: '' }));

/** JSON with sorted object keys: the merge of two results uses another key order than a database. */
const textOf = (value: object): string =>
  JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const byText = (a: object, b: object): number => (textOf(a) < textOf(b) ? -1 : 1);
