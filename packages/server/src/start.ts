import { availableParallelism } from 'node:os';
import { setImmediate as turn } from 'node:timers/promises';
import { product } from '@tollgate/contract';
import { boot, type RunningSite } from './boot/boot.ts';
import { type Env, readEnv } from './boot/env.ts';
import { notRead } from './boot/environment/not-read.ts';
import { workerCount } from './boot/workers/count.ts';
import type { StartFlags } from './flags.ts';
import { armFaults } from './lib/fault-point.ts';
import type { Stops } from './stops.ts';

/** Alone, or with as many workers as are asked for. */
async function open(env: Env): Promise<RunningSite> {
  const count = workerCount(env, { platform: process.platform, cores: availableParallelism() });
  if (count === 1) return boot(env);
  const { bootWithWorkers } = await import('./boot/workers/index.ts');
  return bootWithWorkers(env, count);
}

/** Closes everything, then ends the process. */
function stop(site: RunningSite): void {
  const inFlight = site.running();
  if (inFlight > 0) process.stdout.write(`Stopping: waiting for ${inFlight} running requests …\n`);
  site.close().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${product.name} could not end in good order: ${String(error)}\n`);
      process.exit(1);
    },
  );
}

/** Starts the server and says where it is. Throws what is wrong with the start, with all closed that was open. */
export async function start(stops: Stops, { port, ignored }: StartFlags): Promise<void> {
  // Workers read the environment of this process.
  if (port !== undefined) process.env['PORT'] = port;
  const env = readEnv(process.env);
  armFaults(env.faults);
  stops.opening();
  let site: RunningSite;
  try {
    site = await open(env);
  } catch (error) {
    // Workers of a terminal or a unit may have heard the same signal and be gone.
    if (stops.isAsked) process.exit(0);
    throw error;
  }
  // A signal that came while nothing else could run is heard now.
  await turn();
  stops.does(() => stop(site));
  if (stops.isAsked) return;
  // One request's surprise must not take the others down, but it must be seen.
  process.on('unhandledRejection', (error) => site.core.log.error({ err: error }, 'unhandled rejection'));
  greet(env, site, [...ignored, ...notRead(process.env)]);
}

function greet(env: Env, site: RunningSite, ignored: readonly string[]): void {
  for (const words of ignored) site.core.log.warn({}, words);
  const address = `http://${env.host === '0.0.0.0' || env.host === '::' ? 'localhost' : env.host}:${site.port}`;
  const token = site.setupToken();
  // The token stands behind a #, which browsers never send: it reaches no proxy's log.
  if (token !== null)
    process.stdout.write(`Set the site up (under a minute): ${address}/setup#token=${token}\n`);
  // Printed last: what waits for this line may ask for a stop at once.
  process.stdout.write(`${product.name} is ready at ${address}  –  Ctrl-C stops it.\n`);
}
