import { boot } from './boot.ts';
import { readEnv } from './env.ts';
import { armFaults } from './lib/fault-point.ts';

/** One clear line and the end: what is wrong with the start is the operator's to mend, not a stack to read. */
function refuseToStart(error: unknown): never {
  process.stderr.write(`Tollgate cannot start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const env = readEnv(process.env);
  armFaults(env.faults);
  const tollgate = await boot(env);
  const address = `http://${env.host === '0.0.0.0' || env.host === '::' ? 'localhost' : env.host}:${tollgate.port}`;
  const next = tollgate.isSetUp() ? 'Sign in there.' : 'Open it to set the site up (under a minute).';

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
  // One request's surprise must not take the others down, but it must be seen (faults.md H7).
  process.on('unhandledRejection', (error) => tollgate.core.log.error({ err: error }, 'unhandled rejection'));
  // Said last: whoever waits for this line may ask for a stop at once.
  process.stdout.write(`Tollgate is ready at ${address}  –  ${next} Ctrl-C stops it.\n`);
}

main().catch(refuseToStart);
