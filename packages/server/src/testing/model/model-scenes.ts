import type { ProtocolId, UpstreamCall } from '../../relay/types/index.ts';
import { providerOf } from '../../relay/registry.ts';
import { callFor } from '../wire/fixture-answers.ts';
import { chatWire } from './fake-model-chat.ts';
import { cohereWire } from './fake-model-cohere.ts';
import { ernieWire } from './fake-model-ernie.ts';
import { geminiWire } from './fake-model-gemini.ts';
import { hunyuanWire } from './fake-model-hunyuan.ts';
import { messagesWire } from './fake-model-messages.ts';
import { codexWire, responsesWire } from './fake-model-responses.ts';
import type { ModelWire, Turn } from './fake-model-words.ts';

const wires: readonly [string, ModelWire, type: number][] = [
  ['chat', chatWire, 40],
  ['Messages', messagesWire, 14],
  ['Responses', responsesWire, 1],
  ['Codex', codexWire, 57],
  ['Gemini', geminiWire, 24],
  ['Cohere', cohereWire, 34],
  ['ERNIE', ernieWire, 15],
  ['Hunyuan', hunyuanWire, 23],
];

export const turns: Readonly<Record<string, Turn>> = {
  words: { say: 'The quick brown fox jumps.', thought: 'A fox, then.' },
  'a call': { call: 'weather', input: { city: '上海', days: 3 } },
};

interface Scene {
  wire: ModelWire;
  call: UpstreamCall;
  stream: boolean;
}

/** Every wire of the model with every caller protocol, streamed and non-streamed. */
export const modelScenes = (
  callers: readonly ProtocolId[],
): [wire: string, caller: ProtocolId, how: 'streamed' | 'whole', scene: Scene][] =>
  wires.flatMap(([name, wire, type]) =>
    callers.flatMap((caller) =>
      [true, false].flatMap((stream) => {
        const call = callFor(providerOf(type)!, caller, stream);
        // Codex answers only in streams, and OpenAI in the caller's protocol.
        const isAnswered =
          call && (wire === codexWire ? stream : wire !== responsesWire || caller === 'openai-responses');
        return isAnswered
          ? [[name, caller, stream ? 'streamed' : 'whole', { wire, call, stream }] as const]
          : [];
      }),
    ),
  ) as ReturnType<typeof modelScenes>;

/** An answer of the model in wire format, with its Content-Type. */
export const answerOn = ({ wire, stream }: Scene, turn: Turn): { bytes: Buffer; contentType: string } => ({
  bytes: stream
    ? Buffer.concat(wire.stream(turn, 'm').map((piece) => Buffer.from(piece)))
    : Buffer.from(JSON.stringify(wire.whole(turn, 'm'))),
  contentType: stream ? 'text/event-stream' : 'application/json',
});
