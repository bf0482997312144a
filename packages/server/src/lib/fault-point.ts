/**
 * The places where a test can crash or disturb the process: in a request, a stop, a start, a payment callback, a
 * task, and a correction of charges (docs/reliability.md explains each).
 */
export const faultPoints = [
  'request-arrived',
  'before-hold',
  'hold-taken',
  'hold-durable',
  'upstream-asked',
  'head-received',
  'answer-flowing',
  'before-settle',
  'settlement-queued',
  'before-sync',
  'settled',
  'end-sent',
  'before-failover',
  'draining',
  'recovering',
  'callback-received',
  'callback-judged',
  'callback-in-transaction',
  'callback-committed',
  'task-held',
  'task-asked',
  'task-in-transaction',
  'task-accepted',
  'task-polled',
  'task-refunding',
  'task-refunded',
  'batch-held',
  'batch-sent',
  'batch-claimed',
  'batch-answered',
  'batch-charging',
  'batch-charged',
  'batch-finishing',
  'sale-holding',
  'sale-held',
  'sale-settling',
  'sale-settled',
  'sale-releasing',
  'rerating-planned',
  'rerating-in-transaction',
  'rerating-committed',
  'rerating-reverting',
  'log-copied',
  'log-cut-moved',
  'log-compared',
  'log-changes-made',
  'log-returned',
  'grants-in-transaction',
  'notice-taken',
  'statement-claimed',
  'import-written',
  'import-log-written',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/**
 * The action at a fault point. `kill` ends the process like `kill -9`, `throw` throws, `hang` stops the whole process
 * for good, `delay` stops it for some milliseconds, like a machine that is frozen or overloaded.
 */
const actions = ['kill', 'throw', 'hang', 'delay'] as const;
type Action = (typeof actions)[number];

/** One entry of FAULTS: the action at the n-th pass of a point (a delay: at every pass). */
export interface Fault {
  point: FaultPoint;
  action: Action;
  /** Number of the pass; for `delay`, milliseconds. */
  number: number;
}

/** Parses `answer-flowing:kill:3,settlement-queued:delay:50`. Throws an Error with the expected form of an entry. */
export function parseFaults(text: string): Fault[] {
  return text.split(',').map((entry) => {
    const [name, verb, count = '1'] = entry.trim().split(':');
    const point = faultPoints.find((each) => each === name);
    const action = actions.find((each) => each === verb);
    const number = Number(count);
    if (!point || !action || !Number.isInteger(number) || number < 1) {
      throw new Error(`has an entry that is not <point>:<kill|throw|hang|delay>:<number>: ${entry}`);
    }
    return { point, action, number };
  });
}

interface Armed extends Fault {
  passes: number;
}

// The only global switch: a tool of tests should not be passed through every signature of the code under test. Off
// unless the process was started with FAULTS.
let isArmed = false;
const armed = new Map<FaultPoint, Armed>();

/** Enables the points; once, at the start of the process. */
export function armFaults(faults: readonly Fault[]): void {
  for (const fault of faults) armed.set(fault.point, { ...fault, passes: 0 });
  isArmed = armed.size > 0;
}

/** A fault point. Costs one check of a boolean unless the process was started with FAULTS. */
export function faultPoint(point: FaultPoint): void {
  if (isArmed) pass(point);
}

function pass(point: FaultPoint): void {
  const fault = armed.get(point);
  if (!fault) return;
  fault.passes += 1;
  if (fault.action === 'delay') return stand(fault.number);
  if (fault.passes !== fault.number) return;
  if (fault.action === 'kill') process.kill(process.pid, 'SIGKILL');
  if (fault.action === 'throw') throw new Error(`fault ${point}`);
  stand(Infinity);
}

/** Blocks this thread, and with it every request. After `kill`, until the signal arrives. */
function stand(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
