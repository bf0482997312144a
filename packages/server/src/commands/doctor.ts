import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Env, readEnv } from '../boot/env.ts';
import { notRead } from '../boot/environment/not-read.ts';
import { installationOf } from '../boot/installation.ts';
import { keyFileOf, readMasterKey } from '../boot/master-key.ts';
import { workerCount } from '../boot/workers/count.ts';
import { systemSleep } from '../lib/clock.ts';
import { openStore } from '../store/index.ts';
import { checkDatabase } from './doctor/database.ts';
import { checkFiles } from './doctor/files.ts';
import { type Line, note, ok, errorMessage, wrong } from './doctor/line.ts';
import { checkLogArchive } from './doctor/log-archive.ts';
import { checkProcesses } from './doctor/processes.ts';
import { checkUpstreams } from './doctor/upstreams.ts';
import { fail } from './fail.ts';

/** Looks at an installation and says in words what is right and what is not: `npm run doctor`. Changes nothing. */
async function main(): Promise<void> {
  const lines = await examine();
  const signs = { ok: 'ok   ', note: 'note ', wrong: 'WRONG' };
  for (const { level, text } of lines) process.stdout.write(`${signs[level]}  ${text}\n`);
  if (lines.some(({ level }) => level === 'wrong')) process.exitCode = 1;
}

async function examine(): Promise<Line[]> {
  let env: Env;
  try {
    env = readEnv(process.env);
  } catch (error) {
    return errorMessage(error)
      .split('\n')
      .map((each) => wrong(`configuration: ${each}`));
  }
  const configuration = [ok('configuration'), ...notRead(process.env).map(note), checkWorkers(env)];
  const files = installationOf(env);
  if (files && !existsSync(files.database))
    return [...configuration, note(`there is no database yet: ${files.database}`)];
  const around = files ? await checkFiles(env, files, Date.now()) : [];
  return [...configuration, ...around, ...(await examineStore(env, files !== undefined))];
}

/** How many processes carry the calls. */
function checkWorkers(env: Env): Line {
  const cores = availableParallelism();
  try {
    const count = workerCount(env, { platform: process.platform, cores });
    return ok(
      count === 1 ? 'one process carries the calls' : `${count} workers carry the calls, on ${cores} cores`,
    );
  } catch (error) {
    return wrong(`configuration: ${errorMessage(error)}`);
  }
}

async function examineStore(env: Env, isEmbedded: boolean): Promise<Line[]> {
  try {
    const store = await openStore({ url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir });
    try {
      const database = await checkDatabase(store, Date.now());
      if (!database.isReadable) return database.lines;
      const logs = await checkLogArchive(store, Date.now());
      const lines = [...database.lines, ...logs, ...(await checkProcesses(store, env.redisUrl, systemSleep))];
      // Reading the key makes one where there is none, which an examination must not.
      if (isEmbedded && env.secretKey === '' && !existsSync(keyFileOf(env.dataDir)))
        return [
          ...lines,
          wrong(`${keyFileOf(env.dataDir)} is missing: without it no stored key can be read`),
        ];
      return [...lines, ...(await checkUpstreams(store, readMasterKey(env), Date.now))];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [wrong(`the database cannot be opened: ${errorMessage(error)}`)];
  }
}

main().catch((error: unknown) => fail('The examination was broken off', error));
