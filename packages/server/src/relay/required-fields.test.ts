import { expect, test } from 'vitest';
import { type JsonObject, objectOf } from '../lib/json.ts';
import { answerOn, modelScenes, turns } from '../testing/model/model-scenes.ts';
import { dataOf } from '../testing/protocols/codec-bench.ts';
import { feed } from '../testing/protocols/build-relay.ts';
import { missingFields, publishedSchemas } from '../testing/protocols/published-schema.ts';
import { callerProtocol } from './protocols.ts';
import { refuse } from './types/index.ts';

// An answer has every field that the caller's own client declares as required, including nullable ones: strict
// clients and public suites refuse an answer without one.

type Caller = keyof typeof publishedSchemas;
const callers = Object.keys(publishedSchemas) as Caller[];

// An answer in the caller's own protocol passes unchanged.
const own: Readonly<Record<Caller, readonly string[]>> = {
  'openai-chat': ['chat', 'ERNIE', 'Hunyuan'],
  'openai-responses': ['Responses', 'Codex'],
  'anthropic-messages': ['Messages'],
};
/** Further fields that the Open Responses specification requires. */
const openResponses = [
  'completed_at',
  'previous_response_id',
  'truncation',
  'text',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'reasoning',
  'usage',
  'max_output_tokens',
  'max_tool_calls',
  'store',
  'background',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'status',
];

const translated = modelScenes(callers).filter(([wire, caller]) => !own[caller as Caller].includes(wire));

test.each(translated)('an answer of %s, told in %s, %s, is complete', (_wire, caller, _how, scene) => {
  for (const turn of Object.values(turns)) {
    const { bytes, contentType } = answerOn(scene, turn);
    const { passed, end } = feed(scene.call.openPipe(200, contentType), [bytes]);
    const written = Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]);
    const answers = scene.stream ? dataOf(written) : [JSON.parse(written.toString()) as JsonObject];
    expect(answers.length).toBeGreaterThan(0);
    const missing = answers.flatMap((answer) => missingFields(publishedSchemas[caller as Caller], answer));
    expect(missing).toEqual([]);
    const responses = answers.flatMap((answer) =>
      answer.object === 'response' ? answer : (answer.response ?? []),
    );
    for (const response of responses)
      expect(Object.keys(response as JsonObject)).toEqual(expect.arrayContaining(openResponses));
  }
});

test('an answer lacks what was taken out of it', () => {
  const choice = {
    index: 0,
    logprobs: null,
    finish_reason: 'stop',
    message: { role: 'assistant', content: '' },
  };
  const answer = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice] };
  expect(missingFields(publishedSchemas['openai-chat'], answer)).toEqual([
    'chat.completion.choices[].message.refusal',
  ]);
});

const errorFields: Readonly<Record<Caller, readonly string[]>> = {
  'openai-chat': ['message', 'type', 'param', 'code'],
  'openai-responses': ['message', 'type', 'param', 'code'],
  'anthropic-messages': ['message', 'type'],
};
test.each(callers)('an error, told in %s, is complete', (caller) => {
  const { body } = callerProtocol(caller)!.inbound.writeError(refuse('upstream_failed'), 'r');
  const told = JSON.parse(body) as JsonObject;
  expect(Object.keys(objectOf(told.error))).toEqual(expect.arrayContaining([...errorFields[caller]]));
  expect(missingFields(publishedSchemas[caller], told)).toEqual([]);
});
