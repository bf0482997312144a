import { expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { bridge } from '../../bridge.ts';
import { providerOf } from '../../registry.ts';
import type { ProtocolId } from '../../types/index.ts';

// Google counts the model's code and its printed result as output (ai.google.dev/gemini-api/docs/code-execution, "I/O
// pricing"). The gateway adds the fences around both in other protocols, and they are free.

const parts = [
  { text: 'Let me see. ' },
  { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
  { text: 'It is 42.' },
];
const answer = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
const fenced = 'Let me see. \n```python\nprint(6 * 7)\n```\n\n```output\n42\n```\nIt is 42.';

const questions: Partial<Record<ProtocolId, JsonObject>> = {
  'openai-chat': { messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { input: 'Hi' },
  'anthropic-messages': { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
};

function read(caller: ProtocolId, stream: boolean) {
  const request = buildRequest(caller, { model: 'm', ...questions[caller], stream });
  const call = bridge(providerOf(24)!, buildChannel({ type: 24 }), request, 'm', relayOptions);
  const sent = stream ? `data: ${JSON.stringify(answer)}\n\n` : JSON.stringify(answer);
  const pipe = call.openPipe(200, stream ? 'text/event-stream' : 'application/json');
  const { passed, end, text } = feed(pipe, [Buffer.from(sent)]);
  return { shown: passed.toString() + String(end.tail), text };
}

test.each(Object.keys(questions) as ProtocolId[])(
  'code that was run counts as it was written, for %s',
  (caller) => {
    for (const stream of [true, false]) {
      const { shown, text } = read(caller, stream);
      expect(text.output).toBe('Let me see. print(6 * 7)42\nIt is 42.');
      const words = caller === 'gemini' ? '"executableCode"' : JSON.stringify(fenced).slice(1, -1);
      expect(stream || shown.includes(words)).toBe(true);
    }
  },
);
