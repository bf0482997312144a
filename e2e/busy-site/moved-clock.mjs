// Moves the clock of a server that preloads this file (NODE_OPTIONS): the file named by CLOCK_FILE has the offset from
// real time in milliseconds. A SIGUSR2 makes the server read the file again; the file is removed once its time is in force.
import { readFileSync, rmSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.CLOCK_FILE;
const RealDate = Date;
let offset = 0;

const now = () => RealDate.now() + offset;

function read() {
  offset = Number(readFileSync(file, 'utf8'));
  rmSync(file);
}

// Threads only count tokens and do not use the time.
if (isMainThread) {
  read();
  process.on('SIGUSR2', read);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, parts) => Reflect.construct(target, parts.length === 0 ? [now()] : parts),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
