import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';

/** What a request says, whichever protocol it is in. */
export interface Asked {
  /** Functions the model may call. */
  tools: { name: string; schema: JsonObject }[];
  /** What tools have answered so far, in order. */
  results: string[];
}

/** What the model does with it: says something, after a thought if it has one, or calls one of the tools. */
export type Turn = { say: string; thought?: string } | { call: string; input: JsonObject };

export const thoughtOf = (turn: Turn): string => ('say' in turn ? (turn.thought ?? '') : '');

/** One vendor's protocol, as far as a turn with a tool needs it. */
export interface ModelWire {
  read(body: JsonObject): Asked;
  /** The whole answer. */
  whole(turn: Turn, model: string): JsonObject;
  /** The Content-Type of a stream, where it is not that of server-sent events. */
  readonly contentType?: string;
  /** The events of a streamed answer, as they stand on the wire. */
  stream(turn: Turn, model: string): (string | Buffer)[];
}

/** The text of a tool's result, which protocols write as text, as parts or as an object. */
export function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return objectsIn(value as JsonObject[])
      .map(({ text }) => textOf(text))
      .join('');
  if (isObject(value)) return textOf(value.output) || JSON.stringify(value);
  return '';
}

/** A schema as the wire has it. */
export const schemaOf = (value: unknown): JsonObject => objectOf(value as JsonObject);

/** Cuts a text in three, as models stream what they write. */
export function inPieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
}
