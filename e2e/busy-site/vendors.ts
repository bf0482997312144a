import { refuse } from '../../packages/server/src/testing/upstream/fake-upstream-faults.ts';
import {
  json,
  modelOf,
  sseHeaders,
} from '../../packages/server/src/testing/upstream/fake-upstream-scripts.ts';
import {
  type FakeUpstream,
  startFakeUpstream,
} from '../../packages/server/src/testing/upstream/fake-upstream.ts';
import type { FakeExchange } from '../../packages/server/src/testing/upstream/fake-upstream-exchange.ts';
import { seeded, wordsOf } from './seeded.ts';

/** Answer of a played model, and the vendor's count. */
interface Answer {
  model: string;
  /** The text, in the pieces of the stream. */
  pieces: string[];
  input: number;
  /** The part of the input that was in the vendor's cache. */
  cached: number;
  output: number;
}

/** A vendor's protocol, as far as plain conversations use it. */
interface Wire {
  whole(answer: Answer): unknown;
  stream(answer: Answer): string[];
}

const event = (data: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const chatUsage = ({ input, cached, output }: Answer) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});

const chatWire: Wire = {
  whole: (answer) => ({
    id: 'chatcmpl-played',
    object: 'chat.completion',
    model: answer.model,
    choices: [
      { index: 0, message: { role: 'assistant', content: answer.pieces.join('') }, finish_reason: 'stop' },
    ],
    usage: chatUsage(answer),
  }),
  stream: (answer) => {
    const chunk = (choices: unknown[], rest = {}) =>
      event({
        id: 'chatcmpl-played',
        object: 'chat.completion.chunk',
        model: answer.model,
        choices,
        ...rest,
      });
    const piece = (content: string) => chunk([{ index: 0, delta: { content }, finish_reason: null }]);
    return [
      ...answer.pieces.map(piece),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
      chunk([], { usage: chatUsage(answer) }),
      'data: [DONE]\n\n',
    ];
  },
};

/** Anthropic counts cached input separately from the input. */
const messagesUsage = ({ input, cached }: Answer, output: number) => ({
  input_tokens: input - cached,
  cache_read_input_tokens: cached,
  output_tokens: output,
});

const messagesWire: Wire = {
  whole: (answer) => ({
    id: 'msg_played',
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content: [{ type: 'text', text: answer.pieces.join('') }],
    stop_reason: 'end_turn',
    usage: messagesUsage(answer, answer.output),
  }),
  stream: (answer) =>
    [
      {
        type: 'message_start',
        message: {
          id: 'msg_played',
          type: 'message',
          role: 'assistant',
          model: answer.model,
          content: [],
          usage: messagesUsage(answer, 1),
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ...answer.pieces.map((text) => ({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text },
      })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: answer.output },
      },
      { type: 'message_stop' },
    ].map((data) => event(data, data.type)),
};

const geminiAnswer = (answer: Answer, text: string, isLast: boolean) => ({
  candidates: [
    { content: { role: 'model', parts: [{ text }] }, index: 0, ...(isLast && { finishReason: 'STOP' }) },
  ],
  modelVersion: answer.model,
  usageMetadata: {
    promptTokenCount: answer.input,
    cachedContentTokenCount: answer.cached,
    candidatesTokenCount: answer.output,
    totalTokenCount: answer.input + answer.output,
  },
});

const geminiWire: Wire = {
  whole: (answer) => geminiAnswer(answer, answer.pieces.join(''), true),
  stream: (answer) =>
    answer.pieces.map((text, index) => event(geminiAnswer(answer, text, index === answer.pieces.length - 1))),
};

interface Asked {
  wire: Wire;
  model: string;
  isStream: boolean;
}

/** The protocol of a call, by its path. */
function askedOf(exchange: FakeExchange): Asked | null {
  const path = exchange.path.split('?')[0] ?? '';
  const gemini = /\/models\/([^/:]+):(stream)?generateContent$/i.exec(path);
  if (gemini) return { wire: geminiWire, model: gemini[1]!, isStream: gemini[2] !== undefined };
  const wire = path.endsWith('/messages')
    ? messagesWire
    : path.endsWith('/chat/completions')
      ? chatWire
      : null;
  return wire && { wire, model: modelOf(exchange), isStream: exchange.json().stream === true };
}

/** Number of words of a request, about the number of its tokens. */
const countWords = (exchange: FakeExchange): number => exchange.body.toString().split(' ').length;

export interface Vendors extends FakeUpstream {
  /** True if answers take as long as real ones. */
  pace(isReal: boolean): void;
  /** Refuses this number of the next calls. */
  refuseNext(calls: number): void;
}

const pieceCount = 12;

/** The pieces of a text with a number of words. */
function piecesOf(text: string): string[] {
  const size = Math.ceil(text.length / pieceCount);
  return text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [text];
}

/** OpenAI, Anthropic, Google and DeepSeek on one socket, with answers of all lengths. */
export async function openVendors(): Promise<Vendors> {
  const chance = seeded(20_261_126);
  let isReal = false;
  const answerOf = (exchange: FakeExchange, model: string): Answer => {
    const input = countWords(exchange);
    const output = chance.between(120, 1_600);
    const cached = input > 1_200 && chance.next() < 0.6 ? Math.floor(input * 0.7) : 0;
    return { model, pieces: piecesOf(wordsOf(chance, output)), input, cached, output };
  };
  const upstream = await startFakeUpstream(async (exchange) => {
    const asked = askedOf(exchange);
    if (asked === null) return refuse(404)(exchange);
    const { wire, model, isStream } = asked;
    const answer = answerOf(exchange, model);
    if (isReal) await exchange.pause(chance.between(180, 700));
    if (!isStream) return json(wire.whole(answer))(exchange);
    exchange.head(200, sseHeaders);
    for (const piece of wire.stream(answer)) {
      await exchange.write(piece);
      if (isReal) await exchange.pause(chance.between(15, 60));
    }
    await exchange.end();
  });
  return Object.assign(upstream, {
    pace: (real: boolean) => void (isReal = real),
    refuseNext: (calls: number) =>
      upstream.next(
        ...Array.from({ length: calls }, () =>
          refuse(429, {
            message: 'Rate limit reached for requests per minute',
            type: 'rate_limit_error',
            code: 'rate_limit_exceeded',
          }),
        ),
      ),
  });
}
