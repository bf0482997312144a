// Cost of the relay's own work, without sockets: preparing a call, and passing the events of its answer.
//   node bench/pipe.ts
import { bridge } from '../packages/server/src/relay/bridge.ts';
import type { UpstreamCall } from '../packages/server/src/relay/types/index.ts';
import { openai } from '../packages/server/src/relay/providers/openai/index.ts';
import {
  buildChannel,
  buildRequest,
  relayOptions,
} from '../packages/server/src/testing/protocols/build-relay.ts';
import { median } from './parts/subject.ts';

const chunk = (delta: unknown, usage?: unknown): Buffer =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'gpt-4o-mini',
      choices: usage ? [] : [{ index: 0, delta, logprobs: null, finish_reason: null }],
      ...(usage ? { usage } : {}),
    })}\n\n`,
  );

const events = [
  ...Array.from({ length: 98 }, () => chunk({ content: ' word' })),
  chunk({}, { prompt_tokens: 57, completion_tokens: 98, total_tokens: 155 }),
  Buffer.from('data: [DONE]\n\n'),
];
const together = [Buffer.concat(events)];
const channel = buildChannel({ modelMapping: {}, setting: { forceFormat: false } });

const request = (bytes: number, stream: boolean) =>
  buildRequest('openai-chat', {
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'x'.repeat(bytes) }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  });

function pass(call: UpstreamCall, pieces: readonly Buffer[]): void {
  const pipe = call.openPipe(200, 'text/event-stream');
  for (const piece of pieces) pipe.push(piece);
  const end = pipe.end(false);
  if (end.outcome !== 'complete' || end.usage?.output !== 98) throw new Error('the answer was misread');
}

const small = request(200, true);
const large = request(32 * 1_024, true);
const renamed = 'gpt-4o-mini-2024-07-18';
const call = bridge(openai, channel, small, 'gpt-4o-mini', relayOptions);

const works: Record<string, () => void> = {
  'prepare a call of 300 B': () => void bridge(openai, channel, small, 'gpt-4o-mini', relayOptions),
  'prepare a call of 32 KB': () => void bridge(openai, channel, large, 'gpt-4o-mini', relayOptions),
  'prepare a call of 32 KB under another model name': () =>
    void bridge(openai, channel, large, renamed, relayOptions),
  'pass 100 events in 100 pieces': () => pass(call, events),
  'pass 100 events in one piece': () => pass(call, together),
};

/** Microseconds of processor time for one run of `work`: the median of nine batches. */
function cost(work: () => void): number {
  for (let run = 0; run < 2_000; run += 1) work();
  const runs = 2_000;
  const times = Array.from({ length: 9 }, () => {
    const before = process.cpuUsage();
    for (let run = 0; run < runs; run += 1) work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / runs;
  });
  return median(times);
}

for (const [name, work] of Object.entries(works)) {
  console.log(`${cost(work).toFixed(2).padStart(8)} µs  ${name}`);
}
