import { type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';
import { geminiProof } from '../upstream/own-wires/fake-gemini.ts';
import { inPieces, type ModelWire, resultText, schemaOf, thoughtOf, type Turn } from './fake-model-words.ts';

const usageMetadata = { promptTokenCount: 40, candidatesTokenCount: 12, totalTokenCount: 52 };

/** Since the third generation, calls have an id and carry a thought signature. */
const isThird = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

const partOf = (turn: Turn, model: string): JsonObject =>
  'say' in turn
    ? { text: turn.say }
    : {
        functionCall: { ...(isThird(model) && { id: 'call_1' }), name: turn.call, args: turn.input },
        ...(isThird(model) && { thoughtSignature: geminiProof }),
      };

const thoughts = (turn: Turn): JsonObject[] =>
  thoughtOf(turn) ? [{ text: thoughtOf(turn), thought: true }] : [];

const answer = (turn: Turn, model: string, parts: JsonObject[], isLast: boolean): JsonObject => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(isLast && { finishReason: 'STOP' }) }],
  modelVersion: model,
  responseId: 'played',
  usageMetadata: turn.usage ?? usageMetadata,
});

/** Gemini's generateContent. Streams end lines with CR LF, as Google's do, and have no end marker. */
export const geminiWire: ModelWire = {
  read: (body) => ({
    tools: objectsIn(body.tools).flatMap(({ functionDeclarations }) =>
      objectsIn(functionDeclarations).map(({ name, parameters, parametersJsonSchema }) => ({
        name: textOf(name),
        schema: schemaOf(parameters ?? parametersJsonSchema),
      })),
    ),
    results: objectsIn(body.contents).flatMap(({ parts }) =>
      objectsIn(parts)
        .filter((part) => part.functionResponse !== undefined)
        .map((part) => resultText(objectOf(part.functionResponse).response)),
    ),
  }),
  whole: (turn, model) => answer(turn, model, [...thoughts(turn), partOf(turn, model)], true),
  stream(turn, model) {
    const written = 'say' in turn ? inPieces(turn.say).map((text) => ({ text })) : [partOf(turn, model)];
    const pieces = [...thoughts(turn), ...written];
    return pieces.map(
      (part, index) =>
        `data: ${JSON.stringify(answer(turn, model, [part], index === pieces.length - 1))}\r\n\r\n`,
    );
  },
};
