import fc, { type GeneratorValue } from 'fast-check';
import { parseExact } from '../../lib/exact-numbers.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

// Valid conversations in each caller's protocol: parallel calls, results in any order, messages between them, files in
// results, empty parts, ids of other vendors, numbers beyond double precision. Each word, file and number is unique, so a
// reader can show where it is after a translation.

export type CallerId = 'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'gemini';

interface Call {
  id: string;
  name: string;
  input: string;
}

/** Ids by the number of the call in the conversation and in its turn. */
const idsOf: readonly ((nth: number, inTurn: number) => string)[] = [
  (nth) => `call_${nth}`,
  (nth) => `functions.read:${nth}`,
  (nth) => `toolu_01${'x'.repeat(20)}${nth}`,
  (nth) => `call_${'9af8'.repeat(10)}_${nth}`,
  // Pairs of ids that become equal after replacement of special characters.
  (nth) => `a${nth % 2 === 0 ? ' ' : '/'}b${nth >> 1}`,
  // Numbering restarts in each turn.
  (_nth, inTurn) => `call:${inTurn}`,
];

/** Generates one conversation from the random values of `draw`. */
class Maker {
  readonly draw: GeneratorValue;
  private count = 0;
  private calls = 0;

  constructor(draw: GeneratorValue) {
    this.draw = draw;
  }

  next = (): number => (this.count += 1);
  word = (): string => `w${this.next()}x`;
  upTo = (most: number, least = 0): number => this.draw(fc.integer, { min: least, max: most });
  isSo = (): boolean => this.draw(fc.boolean);
  oneOf = <T>(...values: T[]): T => values[this.upTo(values.length - 1)]!;
  times = <T>(most: number, make: () => T, least = 0): T[] =>
    Array.from({ length: this.upTo(most, least) }, make);
  image = (): string => Buffer.from(`image ${this.next()}`).toString('base64');
  pdf = (): string => Buffer.from(`%PDF ${this.next()}`).toString('base64');

  /** Calls of a turn, with ids of these kinds. */
  turn(kinds: readonly number[]): Call[] {
    const idOf = idsOf[this.oneOf(...kinds)]!;
    return Array.from({ length: this.upTo(3) }, (_, inTurn) => {
      const at = this.next();
      const big = this.oneOf(
        `9007199254740993${at}`,
        `-12345678901234567890${at}`,
        `${at}.0`,
        `${at}e2`,
        `${at}`,
      );
      return {
        id: idOf(this.calls++, inTurn),
        name: this.oneOf('read', 'list_files'),
        input: `{"a":${big},"w":"${this.word()}"}`,
      };
    });
  }

  shuffled<T>(values: readonly T[]): T[] {
    const left = [...values];
    return values.map(() => left.splice(this.upTo(left.length - 1), 1)[0]!);
  }
}

const tools = ['read', 'list_files'];
const schema = {
  type: 'object',
  properties: { a: { type: 'integer' }, w: { type: 'string' } },
  required: ['a'],
};

type Body = JsonObject;

function chatBody(m: Maker): Body {
  const text = (): JsonObject => ({ type: 'text', text: m.word() });
  const image = (): JsonObject => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${m.image()}` },
  });
  const file = (): JsonObject => ({
    type: 'file',
    file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${m.pdf()}` },
  });
  const user = (): JsonObject => ({
    role: 'user',
    content: m.oneOf<() => Json>(
      m.word,
      () => '',
      () => [text(), ...m.times(2, m.oneOf(text, image, file))],
    )(),
  });
  const messages: JsonObject[] = m.times(2, () => ({
    role: m.oneOf('system', 'developer'),
    content: m.word(),
  }));
  messages.push(...m.times(2, user, 1));
  for (let round = m.upTo(3); round > 0; round -= 1) {
    // OpenAI rejects ids longer than 40 characters.
    const calls = m.turn([0, 1, 2, 4, 5]);
    const thought = m.oneOf<JsonObject>(
      {},
      { reasoning_content: 'hm' },
      {
        reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: m.oneOf('~gemini~c2ln', 'x') }],
      },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: '~anthropic-messages~ZA' }] },
    );
    const content = m.oneOf<() => Json>(
      m.word,
      () => [text(), text()],
      () => (calls.length > 0 ? null : ''),
    )();
    messages.push({
      role: 'assistant',
      content,
      ...thought,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          type: 'function',
          function: { name, arguments: input },
        })),
      }),
    });
    for (const { id } of m.shuffled(calls))
      messages.push({
        role: 'tool',
        tool_call_id: id,
        content: m.oneOf<() => Json>(
          m.word,
          () => '',
          () => [text(), text()],
        )(),
      });
    messages.push(...m.times(2, user));
  }
  return {
    messages,
    tools: tools.map((name) => ({ type: 'function', function: { name, parameters: schema } })),
  };
}

function messagesBody(m: Maker): Body {
  const text = (): JsonObject => ({ type: 'text', text: m.word() });
  const image = (): JsonObject => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: m.image() },
  });
  const file = (): JsonObject => ({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: m.pdf() },
    ...(m.isSo() && { title: 'a.pdf' }),
  });
  const blocks = () => m.times(3, () => m.oneOf(text, image, file)(), 1);
  const user = (): JsonObject => ({ role: 'user', content: m.isSo() ? m.word() : blocks() });
  const messages: JsonObject[] = m.times(2, user, 1);
  for (let round = m.upTo(3); round > 0; round -= 1) {
    const calls = m.turn([0, 2, 3]);
    const thoughts = m.times(2, () =>
      m.oneOf<JsonObject>(
        {
          type: 'thinking',
          thinking: 'hm',
          signature: m.oneOf('c2ln', '~gemini~c2ln', '~openai-responses~e'),
        },
        { type: 'redacted_thinking', data: m.oneOf('ZA', '~bedrock-converse~ZA') },
      ),
    );
    const uses = calls.map(({ id, name, input }) => ({
      type: 'tool_use',
      id,
      name,
      input: parseExact(input),
    }));
    messages.push({
      role: 'assistant',
      content: [...thoughts, ...m.times(2, text, calls.length > 0 ? 0 : 1), ...uses],
    });
    const results = m.shuffled(calls).map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      ...(m.isSo() && { is_error: true }),
      ...m.oneOf<() => JsonObject>(
        () => ({}),
        () => ({ content: m.word() }),
        () => ({ content: blocks() }),
        () => ({ content: '' }),
        () => ({ content: [{ type: 'tool_reference', tool_name: m.word() }] }),
      )(),
    }));
    // Consecutive messages of one role form one turn.
    const cut = m.upTo(results.length);
    for (const content of [results.slice(0, cut), [...results.slice(cut), ...(m.isSo() ? blocks() : [])]])
      if (content.length > 0) messages.push({ role: 'user', content });
    if (calls.length === 0) messages.push(user());
  }
  return {
    max_tokens: 100,
    ...(m.isSo() && { system: m.isSo() ? m.word() : [text(), text()] }),
    messages,
    tools: tools.map((name) => ({ name, input_schema: schema })),
  };
}

function responsesBody(m: Maker): Body {
  const text = (): JsonObject => ({ type: 'input_text', text: m.word() });
  const image = (): JsonObject => ({ type: 'input_image', image_url: `data:image/png;base64,${m.image()}` });
  const file = (): JsonObject => ({
    type: 'input_file',
    filename: 'a.pdf',
    file_data: `data:application/pdf;base64,${m.pdf()}`,
  });
  const nothing = (): JsonObject => ({ type: 'input_text', text: '' });
  const parts = () => m.times(3, () => m.oneOf(text, image, file, nothing)(), 1);
  const user = (): JsonObject => ({ role: 'user', content: m.isSo() ? m.word() : parts() });
  const said = (): JsonObject => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: m.word() }],
  });
  const input: JsonObject[] = m.times(
    3,
    m.oneOf(user, said, () => ({ role: 'developer', content: m.word() })),
    1,
  );
  for (let round = m.upTo(3); round > 0; round -= 1) {
    const calls = m.turn([0, 1, 2, 3, 4]).map((call) => ({ ...call, isCustom: m.upTo(4) === 0 }));
    if (m.isSo())
      input.push({
        type: 'reasoning',
        id: `rs_${m.next()}`,
        summary: [],
        encrypted_content: m.oneOf('gAAA', '~anthropic-messages~c2ln'),
      });
    const items = calls.map(({ id, name, input: args, isCustom }): JsonObject =>
      isCustom
        ? { type: 'custom_tool_call', call_id: id, name: 'patch', input: args }
        : { type: 'function_call', call_id: id, name, arguments: args },
    );
    const outputs = m.shuffled(calls).flatMap(({ id, isCustom }) =>
      m.times(
        2,
        (): JsonObject => ({
          type: isCustom ? 'custom_tool_call_output' : 'function_call_output',
          call_id: id,
          output: m.oneOf<() => Json>(m.word, () => '', parts)(),
        }),
        1,
      ),
    );
    const between = () => m.times(1, m.oneOf(user, said));
    for (const item of items) input.push(...between(), item);
    for (const item of outputs) input.push(...between(), item);
    input.push(...m.times(2, m.oneOf(user, said)));
  }
  input.push(user());
  return {
    ...(m.isSo() && { instructions: m.word() }),
    input,
    tools: [
      ...tools.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
      { type: 'custom', name: 'patch' },
    ],
  };
}

function geminiBody(m: Maker, model: string): Body {
  const text = (): JsonObject => ({ text: m.word() });
  const image = (): JsonObject => ({ inlineData: { mimeType: 'image/png', data: m.image() } });
  const file = (): JsonObject => ({ inlineData: { mimeType: 'application/pdf', data: m.pdf() } });
  const parts = () => m.times(3, () => m.oneOf<() => JsonObject>(text, image, file)(), 1);
  const contents: JsonObject[] = m.times(2, () => ({ role: 'user', parts: parts() }), 1);
  for (let round = m.upTo(3); round > 0; round -= 1) {
    const hasIds = m.isSo();
    const calls = m.turn([0, 1, 2, 3, 4, 5]);
    const asked = calls.map(({ id, name, input }, at): JsonObject => ({
      functionCall: { ...(hasIds && { id }), name, args: parseExact(input) },
      ...(at === 0 && { thoughtSignature: 'c2ln' }),
    }));
    const thought = m.isSo() ? [{ text: 'hm', thought: true }] : [];
    contents.push({ role: 'model', parts: [...thought, ...m.times(2, text, 1), ...asked] });
    if (calls.length === 0) {
      contents.push({ role: 'user', parts: parts() });
      continue;
    }
    // Without ids, the order assigns results to calls.
    const results = (hasIds ? m.shuffled(calls) : calls).map(({ id, name }): JsonObject => {
      const files = /gemini-3/.test(model) ? m.times(2, m.oneOf(image, file)) : [];
      const response = m.oneOf<JsonObject>(
        { output: m.word() },
        { error: m.word() },
        { a: m.word(), n: parseExact('12345678901234567890') as JsonObject },
      );
      return {
        functionResponse: {
          ...(hasIds && { id }),
          name,
          response,
          ...(files.length > 0 && { parts: files }),
        },
      };
    });
    contents.push({ role: 'user', parts: [...results, ...(m.isSo() ? parts() : [])] });
  }
  return {
    ...(m.isSo() && { systemInstruction: { parts: [text()] } }),
    contents,
    tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: schema })) }],
  };
}

/** Generates a request of a caller as JSON text. */
export function drawRequest(draw: GeneratorValue, caller: CallerId, model: string): string {
  const m = new Maker(draw);
  const makers = {
    'openai-chat': chatBody,
    'anthropic-messages': messagesBody,
    'openai-responses': responsesBody,
    gemini: (maker: Maker) => geminiBody(maker, model),
  } satisfies Partial<Record<ProtocolId, (maker: Maker) => Body>>;
  return JSON.stringify({ ...(caller !== 'gemini' && { model }), ...makers[caller](m) });
}
