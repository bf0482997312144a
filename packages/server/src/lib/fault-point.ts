/**
 * The places where a test may let the process die or stumble: those of a request, of a stop and a start, of a payment
 * callback, of a task, and of a correction of charges (docs/reliability.md explains each).
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
  'rerating-planned',
  'rerating-in-transaction',
  'rerating-committed',
  'rerating-reverting',
  'log-copied',
  'log-cut-moved',
  'log-compared',
  'log-changes-made',
  'log-returned',
] as const;

export type FaultPoint = (typeof faultPoints)[number];

/**
 * What happens there. `kill` ends the process as `kill -9` does, `throw` throws, `hang` stops the whole process for
 * good, `delay` stops it for some milliseconds: as a machine that is frozen or overloaded does.
 */
const actions = ['kill', 'throw', 'hang', 'delay'] as const;
type Action = (typeof actions)[number];

/** One entry of FAULTS: what happens at the n-th pass of a point (a delay: at every pass). */
export interface Fault {
  point: FaultPoint;
  action: Action;
  /** Which pass; for `delay`, milliseconds. */
  number: number;
}

/** Reads `answer-flowing:kill:3,settlement-queued:delay:50`. Throws an Error that says what an entry should have been. */
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

// The one switch of the house that is not handed on by argument: a test's own tool must not run through every
// signature of the code it tests. Off unless the process was started with FAULTS.
let isArmed = false;
const armed = new Map<FaultPoint, Armed>();

/** Switches the points on; once, at the start of the process. */
export function armFaults(faults: readonly Fault[]): void {
  for (const fault of faults) armed.set(fault.point, { ...fault, passes: 0 });
  isArmed = armed.size > 0;
}

/** A place where a fault may happen. Costs one look at a boolean unless the process was started with FAULTS. */
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

/** Stops this thread, and with it every request. After `kill`, for the moment until the signal arrives. */
function stand(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
