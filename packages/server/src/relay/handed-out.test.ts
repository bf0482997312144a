/** @module-tag deep */
import { describe, expect, it } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../testing/protocols/build-relay.ts';
import { answerEvents, type Piece, type TextProtocol } from '../testing/upstream/answer-events.ts';
import { contentOfEvents } from '../testing/upstream/content-of-events.ts';
import { bridge } from './bridge.ts';
import { providerOf } from './registry.ts';
import type { AnswerPipe } from './types/index.ts';

// A pipe counts exactly what it has passed on, at any end of its upstream: undelivered words are free, and delivered
// words are counted.

const pieces: Piece[] = [
  { thought: 'Let me' },
  { thought: ' think.' },
  'Sure',
  ', here',
  ' it is: "x"\n',
  { call: 'look_up', args: ['{"ci', 'ty":"Pa', 'ris"}'] },
  { call: 'wait', args: ['{}'] },
];

/** Number of a provider with each protocol as its own. */
const providers = {
  'openai-chat': 31,
  'openai-responses': 1,
  'openai-completions': 1,
  'anthropic-messages': 14,
  gemini: 24,
};

const bodies: Record<TextProtocol, object> = {
  'openai-chat': { stream: true, messages: [{ role: 'user', content: 'hi' }] },
  'openai-completions': { stream: true, prompt: 'hi' },
  'openai-responses': { stream: true, input: 'hi' },
  'anthropic-messages': { stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};

const pairs: [caller: TextProtocol, upstream: TextProtocol][] = [
  ['openai-chat', 'openai-chat'],
  ['openai-completions', 'openai-completions'],
  ['openai-responses', 'openai-responses'],
  ['anthropic-messages', 'anthropic-messages'],
  ['gemini', 'gemini'],
  ['openai-chat', 'anthropic-messages'],
  ['openai-chat', 'gemini'],
  ['openai-responses', 'openai-chat'],
  ['openai-responses', 'anthropic-messages'],
  ['anthropic-messages', 'openai-chat'],
  ['anthropic-messages', 'gemini'],
  ['gemini', 'openai-chat'],
  ['gemini', 'anthropic-messages'],
];

function open(caller: TextProtocol, upstream: TextProtocol): AnswerPipe {
  const type = providers[upstream];
  const fromPath = caller === 'gemini' ? { model: 'm', stream: true } : {};
  const request = buildRequest(caller, { model: 'm', ...bodies[caller] }, fromPath);
  const call = bridge(providerOf(type)!, buildChannel({ type }), request, 'm', relayOptions);
  return call.openPipe(200, 'text/event-stream');
}

describe.each(pairs)('a stream to a caller of %s from an upstream of %s', (caller, upstream) => {
  const wire = Buffer.from(answerEvents[upstream]({ pieces, input: 3, output: 30 }).join(''));

  it('has all text counted, where it is complete', () => {
    const { passed, end } = feed(open(caller, upstream), [wire]);
    const { output } = contentOfEvents(caller, passed.toString() + (end.tail?.toString() ?? ''));
    expect(output).toContain('Sure, here it is');
  });

  it.each([false, true])(
    'has the text that was passed on counted, wherever it ends (cut off: %s)',
    (broken) => {
      for (let end = 0; end <= wire.length; end += 1) {
        const { passed, end: how, text } = feed(open(caller, upstream), [wire.subarray(0, end)], broken);
        const tail = how.outcome === 'complete' && how.tail ? how.tail : Buffer.alloc(0);
        const { output, reasoning, calls } = contentOfEvents(
          caller,
          Buffer.concat([passed, tail]).toString(),
        );
        const counted = { output: text.output, reasoning: text.reasoning, calls: text.toolCalls };
        expect(counted, `${end} of ${wire.length} bytes`).toEqual({ output, reasoning, calls });
      }
    },
  );
});
