import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock of a site that a test moves through the past. */
export interface MovedClock {
  /** Environment of the server with this clock. */
  env: Record<string, string>;
  /** Sets the server's time (ms). The server must be idle. */
  moveTo(pid: number, at: number): Promise<void>;
}

const loaded = pathToFileURL(join(import.meta.dirname, 'moved-clock.mjs')).href;
const waitMs = 5;
const patienceMs = 10_000;

/**
 * A clock that starts at some time.
 *
 * @param folder - folder for its file
 * @param at - start time, in ms
 */
export function makeClock(folder: string, at: number): MovedClock {
  const file = join(folder, 'clock');
  const write = (time: number) => writeFileSync(file, String(time - Date.now()));
  write(at);
  return {
    env: { CLOCK_FILE: file, NODE_OPTIONS: `--import=${loaded}` },
    moveTo: async (pid, time) => {
      write(time);
      process.kill(pid, 'SIGUSR2');
      const end = Date.now() + patienceMs;
      while (existsSync(file)) {
        if (Date.now() > end) throw new Error('the server did not take its new time');
        await sleep(waitMs);
      }
    },
  };
}
