import { isObject, type JsonObject, objectOf, objectsIn, textOf } from '../../lib/json.ts';

/** Content of a request, independent of its protocol. */
export interface Asked {
  /** Functions that the model may call. */
  tools: { name: string; schema: JsonObject }[];
  /** Results of tools so far, in order. */
  results: string[];
}

/**
 * Answer of the model: a text with an optional thought, or a call of one tool. `usage` replaces the reported usage, in
 * the vendor's fields.
 */
export type Turn = ({ say: string; thought?: string } | { call: string; input: JsonObject }) & {
  usage?: JsonObject;
};

export const thoughtOf = (turn: Turn): string => ('say' in turn ? (turn.thought ?? '') : '');

/** The part of a vendor's protocol that a turn with a tool needs. */
export interface ModelWire {
  read(body: JsonObject): Asked;
  /** The non-streamed answer. */
  whole(turn: Turn, model: string): JsonObject;
  /** Content-Type of a stream, if it is not text/event-stream. */
  readonly contentType?: string;
  /** Events of a streamed answer in wire format. */
  stream(turn: Turn, model: string): (string | Buffer)[];
}

/** Text of a tool's result. Protocols send it as text, as parts or as an object. */
export function resultText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value))
    return objectsIn(value as JsonObject[])
      .map(({ text }) => textOf(text))
      .join('');
  if (isObject(value)) return textOf(value.output) || JSON.stringify(value);
  return '';
}

/** A schema in wire format. */
export const schemaOf = (value: unknown): JsonObject => objectOf(value as JsonObject);

/** Splits a text into three pieces for streaming. */
export function inPieces(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return text.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
}
