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
  const isEmbedded = parseDatabaseUrl(env.databaseUrl, env.dataDir).kind === 'sqlite';
  const isPossible = !isEmbedded && platform !== 'win32';
  if (env.workers === 'auto') return isPossible ? cores : 1;
  if (env.workers === 1 || isPossible) return env.workers;
  throw new Error(
    isEmbedded
      ? `WORKERS is ${env.workers}, but SQLite is served by one process: set DATABASE_URL to PostgreSQL or MySQL, or WORKERS to 1`
      : `WORKERS is ${env.workers}, but workers share a port on Unix systems alone: set it to 1`,
  );
}
