import { parseDatabaseUrl } from '../../store/database-url.ts';
import type { Env } from '../env.ts';

/** The machine that a process starts on. */
export interface Machine {
  platform: NodeJS.Platform;
  cores: number;
}

type WorkerEnv = Pick<Env, 'workers' | 'databaseUrl' | 'dataDir'>;

/**
 * Number of workers that serve calls; 1 if the process does so itself. Throws an Error with the required change if the
 * database or the system does not support the requested number.
 */
export function workerCount(env: WorkerEnv, { platform, cores }: Machine): number {
  const address = parseDatabaseUrl(env.databaseUrl, env.dataDir);
  const isSqlite = address.kind === 'sqlite';
  const isPossible = !isSqlite && platform !== 'win32';
  if (env.workers === 'auto') return isPossible ? cores : 1;
  if (env.workers === 1 || isPossible) return env.workers;
  if (isSqlite)
    throw new Error(
      `WORKERS is ${env.workers}, but SQLite serves one process: remove WORKERS, or set DATABASE_URL to PostgreSQL`,
    );
  throw new Error(`WORKERS is ${env.workers}, but workers share a port on Unix systems alone: set it to 1`);
}
