// A thread that reads the SQLite file for lists and sums, so that a long one does not block the event loop.
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadAnswer, ReadRequest } from './sqlite-reader.ts';

const CACHED_STATEMENTS = 64;
const { path } = workerData as { path: string };
const db = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
db.exec('pragma cache_size = -16000');
db.exec('pragma temp_store = memory');

const prepared = new Map<string, StatementSync>();

function prepare(sql: string): StatementSync {
  const known = prepared.get(sql);
  if (known) return known;
  if (prepared.size >= CACHED_STATEMENTS) prepared.clear();
  const statement = db.prepare(sql);
  prepared.set(sql, statement);
  return statement;
}

function answer({ sql, parameters }: ReadRequest): ReadAnswer {
  try {
    return { rows: prepare(sql).all(...parameters) };
  } catch (error) {
    const { message, errcode } = error as Error & { errcode?: number };
    return { message, errcode };
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(answer(request)));
