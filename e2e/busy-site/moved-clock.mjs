// A server that has this loaded first (NODE_OPTIONS) lives at another time: as many milliseconds from ours as the file
// named by CLOCK_FILE says. A SIGUSR2 has the file read again; it is removed once its time is in force.
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

// Threads only count tokens, and need no time.
if (isMainThread) {
  read();
  process.on('SIGUSR2', read);
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, parts) => Reflect.construct(target, parts.length === 0 ? [now()] : parts),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}
