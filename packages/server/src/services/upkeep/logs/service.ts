import {
  type LogData,
  type LogFilters,
  type LogPage,
  type LogStat,
  type LogTagSum,
  type LogType,
  tagsToFind,
} from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, logs as logRows, teams, tokens } from '../../../store/index.ts';
import { markOfKey } from '../../people/tokens/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { deleteRows } from './deletion.ts';
import { type LogRow, showLog, showOwnLog } from './view.ts';

/** A row outside of settlements: a top-up, an administrator's action, a system message, an error. */
export type LogEntry = Pick<LogRow, 'user_id' | 'username' | 'content'> & { type: LogType } & Partial<
    Omit<LogRow, 'id' | 'user_id' | 'username' | 'content' | 'type'>
  >;

/** Filters that callers in code may leave out. */
type RareFilters = 'payer' | 'tag' | 'exclude_type';
/** Filters of a user's own rows. */
type OwnLogFilters = Omit<LogFilters, 'username' | 'channel' | RareFilters> &
  Partial<Pick<LogFilters, RareFilters>>;
/** Filters of all rows. */
type AllLogFilters = OwnLogFilters & Pick<LogFilters, 'username' | 'channel'>;

type TeamLogFilters = Omit<LogFilters, 'channel' | RareFilters> & Partial<Pick<LogFilters, 'tag'>>;

/** Filters of a team's rows. */
interface TeamReader {
  teamId: number;
  userId: number | undefined;
}

interface Paging {
  /** Counts from 1. */
  page: number;
  pageSize: number;
}

/** Reading the log, and writing rows outside of settlements (docs/compatibility.md#log-lists-and-sums). */
export interface Logs {
  list(filters: AllLogFilters, paging: Paging): Promise<LogPage>;
  ownList(userId: number, filters: OwnLogFilters, paging: Paging): Promise<LogPage>;
  /** Rows whose calls a team paid for, of one member or of all (undefined), as members see them. */
  teamList(reader: TeamReader, filters: TeamLogFilters, paging: Paging): Promise<LogPage>;
  teamStat(reader: TeamReader, filters: TeamLogFilters): Promise<LogStat>;
  stat(filters: AllLogFilters): Promise<LogStat>;
  ownStat(userId: number, filters: OwnLogFilters): Promise<LogStat>;
  /** Charges by tag value, the 100 largest. */
  tagSums(name: string, filters: AllLogFilters): Promise<LogTagSum[]>;
  ownTagSums(userId: number, name: string, filters: OwnLogFilters): Promise<LogTagSum[]>;
  /** The newest 100 rows whose type equals the keyword or whose content starts with it. */
  search(keyword: string): Promise<LogData[]>;
  ownSearch(userId: number, keyword: string): Promise<LogData[]>;
  /**
   * Deletes rows of all types older than a time (Unix seconds), up to a maximum number; returns their number. Their
   * charges stay in the sums of whole hours.
   */
  remove(before: number, rows?: number): Promise<number>;
  /** Number of rows older than a time. */
  countBefore(before: number): Promise<number>;
  /** Deletes rows older than a number of whole days (UTC), for a minute at most; returns their number. 0 keeps all. */
  expire(days: number): Promise<number>;
  /** Prepares the partitions of the coming months. */
  makeMonths(): Promise<void>;
  /** The newest rows of the token with this key (`sk-…`); none for an unknown key. */
  ofToken(key: string): Promise<LogData[]>;
  write(entry: LogEntry): Promise<void>;
  writeMany(entries: readonly LogEntry[]): Promise<void>;
}

export interface LogsDeps {
  db: Db;
  audit: Pick<Audit, 'record'>;
  /** A separate connection, so that slow lists and sums do not block other work. */
  reports: Db;
  clock: Clock;
  /** The present name of a channel; '' if it is deleted. */
  channelName: (id: number) => string;
}

/** A row for a reader; `team` is the name of the paying team, '' for none. */
type View = (row: LogRow, team: string) => LogData;

/** Maximum number of rows in the result of a search or of a token's log. */
const newest = 100;

const daySeconds = 86_400;
/** Longest run of the deletion; the next run continues. */
const expiryMs = 60_000;

/** Deletes rows older than whole days (UTC), limited by the time of one run of the job; returns their number. */
async function expireRows({ db, audit, clock }: Pick<LogsDeps, 'db' | 'audit' | 'clock'>, days: number) {
  if (days <= 0) return 0;
  const now = seconds(clock);
  const before = now - (now % daySeconds) - days * daySeconds;
  const rows = await deleteRows({ db }, { before, forMs: expiryMs });
  if (rows > 0) await audit.record(db, { kind: 'log.expire', note: { before, days, rows } });
  return rows;
}

/** Opens the log. */
export function createLogs({ db, audit, reports, clock, channelName }: LogsDeps): Logs {
  const whole = (entry: LogEntry) => ({ ...logRows.blank, created_at: seconds(clock), ...entry });
  const show: View = (row, team) => showLog(row, { channel: channelName(row.channel_id), team });
  const shown = async (rows: readonly LogRow[], view: View) => {
    const names = await teamNames(reports, rows);
    return rows.map((row) => view(row, names.get(row.team_id) ?? ''));
  };
  const page = async (filter: logRows.LogFilter, paging: Paging, view: View) => {
    const at = Math.max(1, paging.page);
    const slice = { offset: (at - 1) * paging.pageSize, limit: paging.pageSize };
    const { rows, total, exact, olderMissing } = await logRows.list(reports, filter, slice);
    return {
      items: await shown(rows, view),
      total,
      exact,
      ...(olderMissing && { older_missing: true }),
      page: at,
      page_size: paging.pageSize,
    };
  };

  return {
    list: (filters, paging) => page(filterOf(filters), paging, show),
    ownList: (userId, filters, paging) => page({ ...filterOf(filters), userId }, paging, showOwnLog),
    teamList: (reader, filters, paging) => page(teamFilter(reader, filters), paging, showOwnLog),
    teamStat: (reader, filters) => logRows.stat(reports, teamFilter(reader, filters), seconds(clock)),
    stat: (filters) => logRows.stat(reports, filterOf(filters), seconds(clock)),
    ownStat: (userId, filters) => logRows.stat(reports, { ...filterOf(filters), userId }, seconds(clock)),
    tagSums: (name, filters) => logRows.sumsOfTag(reports, name, filterOf(filters), newest),
    ownTagSums: (userId, name, filters) =>
      logRows.sumsOfTag(reports, name, { ...filterOf(filters), userId }, newest),
    search: async (keyword) => shown(await logRows.search(reports, { keyword, limit: newest }), show),
    async ownSearch(userId, keyword) {
      return shown(await logRows.search(reports, { keyword, userId, limit: newest }), showOwnLog);
    },
    async remove(before, most) {
      const rows = await deleteRows({ db }, { before, ...(most !== undefined && { rows: most }) });
      await audit.record(db, { target: { type: 'log', id: '' }, note: { before, rows } });
      return rows;
    },
    countBefore: (before) => logRows.countBefore(reports, before),
    expire: (days) => expireRows({ db, audit, clock }, days),
    makeMonths: () => logRows.makeMonths(db, seconds(clock)),
    async ofToken(key) {
      const { hash, otherHash = hash } = markOfKey(key);
      const token = (await tokens.findByHash(db, hash)) ?? (await tokens.findByHash(db, otherHash));
      return token ? shown(await logRows.ofToken(reports, token.id, newest), showOwnLog) : [];
    },
    write: (entry) => logRows.insert(db, [whole(entry)]),
    writeMany: (entries) => logRows.insert(db, entries.map(whole)),
  };
}

const teamFilter = ({ teamId, userId }: TeamReader, filters: TeamLogFilters): logRows.LogFilter => ({
  ...filterOf(filters),
  teamId,
  ...(userId !== undefined && { userId }),
});

/** Filters for the store: empty or 0 means no filter. */
export function filterOf(filters: OwnLogFilters & Partial<LogFilters>): logRows.LogFilter {
  const filter: logRows.LogFilter = {};
  if (filters.type !== 0) filter.type = filters.type;
  if (filters.exclude_type) filter.exceptType = filters.exclude_type;
  if (filters.start_timestamp !== 0) filter.start = filters.start_timestamp;
  if (filters.end_timestamp !== 0) filter.end = filters.end_timestamp;
  if (filters.token_name !== '') filter.tokenName = filters.token_name;
  if (filters.model_name !== '') filter.modelName = filters.model_name;
  if (filters.group !== '') filter.group = filters.group;
  if (filters.request_id !== '') filter.requestId = filters.request_id;
  if (filters.username) filter.username = filters.username;
  const tags = tagsToFind(filters.tag ?? '');
  if (tags.length > 0) filter.tags = tags;
  if (filters.channel) filter.channelId = filters.channel;
  return { ...filter, ...paidBy(filters.payer ?? '') };
}

/** The paying wallet: users' own, any team's, or that of one team. */
function paidBy(payer: string): Pick<logRows.LogFilter, 'paidBy' | 'teamId'> {
  if (payer === 'user' || payer === 'team') return { paidBy: payer };
  return payer === '' ? {} : { teamId: Number(payer) };
}

/** The present names of the teams of rows, by their ids. */
export async function teamNames(db: Db, rows: readonly LogRow[]): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(rows.map((row) => row.team_id));
  ids.delete(0);
  const found = await teams.findMany(db, [...ids]);
  return new Map(found.map(({ id, name }) => [id, name]));
}
