import type { Part } from '../../types/index.ts';
import { isObject, type Json, type JsonObject, parseObject, textOf } from '../../../lib/json.ts';
import { markSignature, readSignature } from '../../conversation/index.ts';
import { thinkingText } from './inbound.ts';

/**
 * Reasoning with its signatures, for which OpenAI's own API has no field: it is sent in `reasoning_details`, the form
 * of OpenRouter and its clients, beside the plain `reasoning_content` of all others. If a client sends the list back,
 * Claude and Gemini can continue their reasoning in a turn of tools.
 */
const own = 'openai-chat';

type Thought = Extract<Part, { type: 'reasoning' }>;

/** The reasoning of an answer or an earlier turn as an entry of the list; none without a signature. */
export function writeDetails(thought: Omit<Thought, 'type'>): JsonObject[] {
  const { signature, redacted, signer } = thought;
  const proof = redacted ?? signature;
  if (proof === undefined) return [];
  const { value, beside } = signer === undefined || signer === own ? unpack(proof) : { value: proof };
  if (beside?.extra_content !== undefined) return [];
  const marked = markSignature(value, signer, own);
  if (redacted !== undefined) return [{ type: 'reasoning.encrypted', data: marked, ...beside }];
  return [{ type: 'reasoning.text', text: thought.text, signature: marked, ...beside }];
}

/**
 * A vendor's data beside a call that must be returned with it (`extra_content`: Google's signature of the reasoning
 * before the call). In other protocols it is the signature of empty reasoning before the call.
 */
export const proofOfCall = ({ extra_content: extra }: JsonObject): string | undefined =>
  isObject(extra) ? pack('', { extra_content: extra }) : undefined;

/** The call's field for such reasoning; empty for all other reasoning. */
export function besideCall(thought: Pick<Thought, 'signature' | 'signer'> | undefined): JsonObject {
  if (thought?.signature === undefined || (thought.signer ?? own) !== own) return {};
  const extra = unpack(thought.signature).beside?.extra_content;
  return extra === undefined ? {} : { extra_content: extra };
}

/**
 * The vendor requires an entry with its fields (`id`, `format`, `index`), and other protocols have one field: the
 * fields precede the proof in a separate line.
 */
function pack(value: string, beside: JsonObject): string {
  const told = Object.entries(beside).filter(([, each]) => each !== null && each !== undefined);
  return told.length === 0 ? value : `${JSON.stringify(Object.fromEntries(told))}\n${value}`;
}

function unpack(proof: string): { value: string; beside?: JsonObject } {
  const end = proof.startsWith('{') ? proof.indexOf('\n') : -1;
  const beside = end < 0 ? undefined : parseObject(proof.slice(0, end));
  return beside ? { value: proof.slice(end + 1), beside } : { value: proof };
}

/** The reasoning of a message: the list if there is one, otherwise the plain text. */
export function readThoughts(message: JsonObject): Thought[] {
  const thoughts = readThoughtList(message.reasoning_details);
  if (thoughts.length > 0) return thoughts;
  const plain = textOf(message.reasoning_content) || textOf(message.reasoning);
  const listed = Array.isArray(message.content)
    ? message.content.map((part) => (isObject(part) ? thinkingText(part.thinking) : '')).join('')
    : '';
  return plain + listed === '' ? [] : [{ type: 'reasoning', text: plain + listed }];
}

/** The entries of the list, in which a stream may send text and signature separately. */
export const readThoughtList = (details: Json | undefined): Thought[] =>
  Array.isArray(details) ? details.flatMap((detail) => (isObject(detail) ? readDetail(detail) : [])) : [];

function readDetail(detail: JsonObject): Thought[] {
  if (detail.type === 'reasoning.encrypted' || typeof detail.data === 'string') {
    const { signature, signer } = readProof(textOf(detail.data), detail);
    return [{ type: 'reasoning', text: '', redacted: signature, signer }];
  }
  const words = textOf(detail.text) || textOf(detail.summary);
  if (typeof detail.signature !== 'string') return words === '' ? [] : [{ type: 'reasoning', text: words }];
  return [{ type: 'reasoning', text: words, ...readProof(detail.signature, detail) }];
}

/** A signature or hidden reasoning, and its signer. */
function readProof(value: string, detail: JsonObject): ReturnType<typeof readSignature> {
  const { type: _, text: _text, summary: _summary, signature: _signature, data: _data, ...beside } = detail;
  const read = readSignature(value, own);
  return read.signer === own ? { ...read, signature: pack(read.signature, beside) } : read;
}
