import { logType } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { type Db, type ForeignDatabase, inTransaction, logs, movedIn } from '../../store/index.ts';
import { type Cells, readCells } from './kit/cells.ts';
import type { Source } from './kit/detect.ts';
import type { Ids } from './kit/ids.ts';

const columns = [
  'id',
  'user_id',
  'created_at',
  'type',
  'content',
  'username',
  'token_name',
  'model_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'elapsed_time',
  'request_time',
  'is_stream',
  'channel_id',
  'channel',
  'token_id',
  'group',
  'request_id',
  'other',
  'metadata',
];

/** Rows of one step, which is a transaction: an interrupted import continues after the last one. */
const step = 1_000;

export interface MoveLogs {
  db: Db;
  source: Source;
  ids: Ids;
  /** Unix seconds: older rows are not imported. */
  since: number;
  /** Called after each step with the number of written rows. */
  onProgress(written: number): void;
}

/**
 * Writes the missing rows of the log since a moment, in steps that can be interrupted; returns their number. They are
 * history: no money depends on them.
 */
export async function moveLogs(foreign: ForeignDatabase, move: MoveLogs): Promise<number> {
  if (!foreign.tables.has('logs'))
    throw new Error('there is no table logs: name its database by --logs-from');
  let written = 0;
  for (let after = await movedIn.logMark(move.db); ;) {
    const rows = await foreign.slice('logs', columns, { after, limit: step, since: move.since });
    if (rows.length === 0) return written;
    const read = rows.map((row) => readCells(row, 'logs'));
    after = read.at(-1)!.whole('id');
    await inTransaction(move.db, async (db) => {
      await logs.insert(
        db,
        read.map((cells) => rowOf(cells, move)),
      );
      await movedIn.markLog(db, after);
      faultPoint('import-log-written');
    });
    written += rows.length;
    move.onProgress(written);
  }
}

/** Channel tests of one-api and administrator sign-ins of new-api have no row type here. */
const typeOf = (type: number, { program }: Source): number => {
  if (program === 'one-api' && type === 5) return logType.system;
  return type >= logType.unknown && type <= logType.login ? type : logType.unknown;
};

function rowOf(cells: Cells, { source, ids }: MoveLogs): logs.NewLog {
  const requestId = cells.text('request_id');
  const other = {
    ...cells.json('other'),
    ...cells.json('metadata'),
    ...(requestId !== '' && { former_request_id: requestId }),
  };
  const channel = cells.whole('channel_id') || cells.whole('channel');
  // One-api and one-hub count milliseconds.
  const ms = cells.whole('elapsed_time') || cells.whole('request_time');
  const seconds = source.program === 'new-api' ? cells.whole('use_time') : Math.round(ms / 1000);
  return {
    user_id: ids.user(cells.whole('user_id')),
    created_at: cells.whole('created_at'),
    type: typeOf(cells.whole('type'), source),
    content: cells.text('content'),
    username: cells.text('username'),
    token_name: cells.text('token_name'),
    model_name: cells.text('model_name'),
    quota: cells.whole('quota'),
    prompt_tokens: cells.whole('prompt_tokens'),
    completion_tokens: cells.whole('completion_tokens'),
    use_time: seconds,
    is_stream: cells.flag('is_stream') ? 1 : 0,
    channel_id: channel === 0 ? 0 : ids.channel(channel),
    token_id: cells.whole('token_id') === 0 ? 0 : ids.token(cells.whole('token_id')),
    group: cells.text('group'),
    other: Object.keys(other).length === 0 ? '' : JSON.stringify(other),
    // They have no ledger entry; separate request ids distinguish them from Tollgate's own calls.
    request_id: `${source.program}:${cells.whole('id')}`,
    team_id: 0,
    cost: null,
    tags: null,
  };
}
