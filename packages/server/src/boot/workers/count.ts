import { parseDatabaseUrl } from '../../store/database-url.ts';
import type { Env } from '../env.ts';

/** The machine that a process starts on. */
export interface Machine {
  platform: NodeJS.Platform;
  cores: number;
}

type WorkerEnv = Pick<Env, 'workers' | 'databaseUrl' | 'dataDir'>;

/**
 * How many workers carry calls; 1 where the process does so itself. Throws an Error that says what to change where more
 * are asked for by number than the database or the system can have.
 */
export function workerCount(env: WorkerEnv, { platform, cores }: Machine): number {
  const address = parseDatabaseUrl(env.databaseUrl, env.dataDir);
  const isEmbedded = address.kind === 'sqlite';
  const isInMemory = isEmbedded && address.path === ':memory:';
  const isPossible = !isInMemory && platform !== 'win32';
  // The process that writes a file for all workers has a core's work of its own.
  if (env.workers === 'auto') return isPossible ? Math.max(1, isEmbedded ? cores - 1 : cores) : 1;
  if (env.workers === 1 || isPossible) return env.workers;
  throw new Error(
    isInMemory
      ? `WORKERS is ${env.workers}, but a database in memory is that of one process: set DATABASE_URL to a file or a server, or WORKERS to 1`
      : `WORKERS is ${env.workers}, but workers share a port on Unix systems alone: set it to 1`,
  );
}
