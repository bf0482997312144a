import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { boot, type Tollgate } from './boot/boot.ts';
import { type Env, readEnv } from './boot/env.ts';
import { notRead } from './boot/environment/not-read.ts';
import { workerCount } from './boot/workers/count.ts';
import { armFaults } from './lib/fault-point.ts';

/** One clear line and the end: what is wrong with the start is the operator's to mend, not a stack to read. */
function refuseToStart(error: unknown): never {
  process.stderr.write(`Tollgate cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** Alone, or with as many workers as are asked for. */
async function open(env: Env): Promise<Tollgate> {
  const count = workerCount(env, { platform: process.platform, cores: availableParallelism() });
  if (count === 1) return boot(env);
  const { bootWithWorkers } = await import('./boot/workers/index.ts');
  return bootWithWorkers(env, count);
}

async function main(): Promise<void> {
  if (cluster.isWorker) {
    const { runWorker } = await import('./boot/workers/index.ts');
    runWorker();
    return;
  }
  const env = readEnv(process.env);
  armFaults(env.faults);
  const tollgate = await open(env);
  for (const words of notRead(process.env)) tollgate.core.log.warn({}, words);
  const address = `http://${env.host === '0.0.0.0' || env.host === '::' ? 'localhost' : env.host}:${tollgate.port}`;
  const token = tollgate.setupToken();

  let asked = 0;
  const stop = (): void => {
    asked += 1;
    // A second Ctrl-C is somebody who will not wait; recovery settles what is cut off.
    if (asked > 1) process.exit(130);
    const inFlight = tollgate.running();
    if (inFlight > 0) process.stdout.write(`Stopping: waiting for ${inFlight} running requests …\n`);
    tollgate.close().then(() => process.exit(0), refuseToStart);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // One request's surprise must not take the others down, but it must be seen.
  process.on('unhandledRejection', (error) => tollgate.core.log.error({ err: error }, 'unhandled rejection'));
  // The token stands behind a #, which browsers never send: it reaches no proxy's log.
  if (token !== null)
    process.stdout.write(`Set the site up (under a minute): ${address}/setup#token=${token}\n`);
  // Printed last: what waits for this line may ask for a stop at once.
  process.stdout.write(`Tollgate is ready at ${address}  –  Ctrl-C stops it.\n`);
}

main().catch(refuseToStart);
