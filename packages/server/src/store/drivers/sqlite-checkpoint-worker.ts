// A thread that checkpoints the WAL into the database file, because the sync of that file takes long.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointMode } from './sqlite-checkpoints.ts';

const { path } = workerData as { path: string };
const db = new DatabaseSync(path);
db.exec('pragma synchronous = full');
// Passive: skips pages in use, and never waits or blocks.
const passive = db.prepare('pragma wal_checkpoint(passive)');
// Lets the next commit restart the WAL. With active readers it stops at once, and a later one does it.
const restart = db.prepare('pragma wal_checkpoint(restart)');

function answer(mode: CheckpointMode): CheckpointAnswer {
  try {
    const { log } = (mode === 'restart' ? restart : passive).get() as { log: number };
    return { pages: log };
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (mode: CheckpointMode) => parentPort?.postMessage(answer(mode)));
