import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { readSignature } from '../../conversation/index.ts';

const own = 'anthropic-messages';

/**
 * Messages without the thoughts of other vendors, which their callers carry under a mark (conversation/signature.ts):
 * Anthropic would refuse them. Its own ones lose the mark. Undefined where there is none: then the bytes pass.
 */
export function withOwnThoughts(messages: Json | undefined): JsonObject[] | undefined {
  const list = objectsIn(messages);
  if (!list.some(({ content }) => objectsIn(content).some(isMarked))) return undefined;
  return list.map((message) => {
    if (!objectsIn(message.content).some(isMarked)) return message;
    const blocks = objectsIn(message.content).flatMap((block) =>
      isMarked(block) ? unmarked(block) : [block],
    );
    return { ...message, content: blocks.length > 0 ? blocks : [{ type: 'text', text: '...' }] };
  });
}

const proofField = ({ type }: JsonObject): 'signature' | 'data' | undefined =>
  type === 'thinking' ? 'signature' : type === 'redacted_thinking' ? 'data' : undefined;

function isMarked(block: JsonObject): boolean {
  const name = proofField(block);
  return name !== undefined && textOf(block[name]).startsWith('~');
}

function unmarked(block: JsonObject): JsonObject[] {
  const name = proofField(block)!;
  const { signature, signer } = readSignature(textOf(block[name]), own);
  return signer === own ? [{ ...block, [name]: signature }] : [];
}

/** True when tools are being answered whose call does not begin with a thought: the vendor would refuse to think on. */
export function lacksThoughts(messages: readonly JsonObject[]): boolean {
  const last = messages.at(-1);
  const answers = Array.isArray(last?.content) ? last.content : [];
  if (!answers.some((block) => isObject(block) && block.type === 'tool_result')) return false;
  const call = messages.findLast(({ role }) => role === 'assistant');
  const [first] = Array.isArray(call?.content) ? call.content : [];
  return !isObject(first) || (first.type !== 'thinking' && first.type !== 'redacted_thinking');
}
