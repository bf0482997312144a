import { product } from '@tollgate/contract';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallKind } from './bodies.ts';
import { type CampaignCall, type CallRecord, makeCall } from './calls.ts';
import { talk } from './voices.ts';
import {
  goodModel,
  transcriptionModel,
  imageModel,
  plenty,
  shakyModel,
  voiceModel,
  type Script,
  type World,
} from './world.ts';

/** Clients that make calls of every kind continuously until `stop`. */
export interface Traffic {
  readonly records: CallRecord[];
  /** Starts no new calls; resolves when the running ones are over. */
  stop(): Promise<void>;
}

type Plan = Pick<CampaignCall, 'model' | 'stream' | 'script' | 'hangUpAfter'> & { kind?: CallKind };

const script = (chunks: number, paceMs = 0, usage = true): Script => ({ chunks, paceMs, usage });

/** The kinds of calls, in rotation. Lengths vary with the number of the call, so that costs differ. */
const kinds: ((n: number) => Plan)[] = [
  (n) => ({ model: goodModel, stream: true, script: script(3 + (n % 30), 1), hangUpAfter: 0 }),
  (n) => ({ model: goodModel, stream: false, script: script(1 + (n % 50)), hangUpAfter: 0 }),
  (n) => ({ model: shakyModel, stream: n % 2 === 0, script: script(2 + (n % 9)), hangUpAfter: 0 }),
  (n) => ({ model: goodModel, stream: true, script: script(40, 4), hangUpAfter: 1 + (n % 12) }),
  (n) => ({ model: goodModel, stream: true, script: script(5 + (n % 20), 1, false), hangUpAfter: 0 }),
  // Long enough to leave progress marks: after a crash it is charged at the last one.
  () => ({ model: goodModel, stream: true, script: script(80, 40), hangUpAfter: 0 }),
  (n) => ({ model: goodModel, stream: false, script: script(2 + (n % 5), 0, false), hangUpAfter: 0 }),
  (n) => ({
    kind: 'image',
    model: imageModel,
    stream: false,
    script: script(1 + (n % 4), 3),
    hangUpAfter: 0,
  }),
  (n) => ({
    kind: 'transcription',
    model: transcriptionModel,
    stream: false,
    script: script(1 + (n % 5), 3, n % 2 === 0),
    hangUpAfter: 0,
  }),
  (n) => ({
    kind: 'voice',
    model: voiceModel,
    stream: true,
    script: script(4 + (n % 30), n % 3 === 0 ? 30 : 2, n % 4 !== 0),
    hangUpAfter: n % 5 === 0 ? 3 : 0,
  }),
];

/** Starts `clients` of them, spread over the world's callers. `until` ends them all, as the death of the process does. */
export function startTraffic(world: World, url: string, clients: number): Traffic {
  const records: CallRecord[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  let stopped = false;
  let n = 0;

  const client = async (first: number): Promise<void> => {
    for (let turn = first; !stopped; turn += 1) {
      const index = n++ % world.callers.length;
      const plan = kinds[turn % kinds.length]!(n);
      const { kind = 'chat', ...asked } = plan;
      // Two of three calls belong to a part of a run.
      const run = `campaign/part-${n % 3}; max=${plenty}`;
      const headers = n % 3 > 0 ? { [product.headers.run]: run } : {};
      const call = { url, agent, caller: world.callers[index]!, index, ...asked, headers };
      const made = kind === 'voice' ? await talk(call) : [await makeCall({ ...call, kind })];
      records.push(...made);
      // No process listens any more, or yet: a thousand tries per second would be useless.
      if (made.every(({ status }) => status === 0)) await sleep(20);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
  return {
    records,
    async stop() {
      stopped = true;
      await all;
      agent.destroy();
    },
  };
}
