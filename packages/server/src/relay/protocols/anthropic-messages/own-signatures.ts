import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { readSignature } from '../../conversation/index.ts';

const own = 'anthropic-messages';

/**
 * Messages without the reasoning and search results of other vendors, which callers send back with a mark
 * (conversation/reasoning.ts): Anthropic requires its own signature for them and would refuse the call. Its own
 * reasoning loses the mark. Undefined if there is none: then the bytes pass.
 */
export function withOwnSignatures(messages: Json | undefined): JsonObject[] | undefined {
  const list = objectsIn(messages);
  if (!list.some(({ content }) => objectsIn(content).some(isMarked))) return undefined;
  const searches = new Set(
    list.flatMap(({ content }) =>
      objectsIn(content)
        .filter(isForeignSearch)
        .map((block) => block.tool_use_id),
    ),
  );
  return list.map((message) => {
    if (!Array.isArray(message.content)) return message;
    const blocks = objectsIn(message.content).flatMap((block) =>
      searches.has(block.tool_use_id ?? block.id) ? [] : isMarked(block) ? unmarked(block) : [block],
    );
    return { ...message, content: blocks.length > 0 ? blocks : [{ type: 'text', text: '...' }] };
  });
}

const isMark = (signature: Json | undefined): boolean => textOf(signature).startsWith('~');

const signatureField = ({ type }: JsonObject): 'signature' | 'data' | undefined =>
  type === 'thinking' ? 'signature' : type === 'redacted_thinking' ? 'data' : undefined;

function isMarked(block: JsonObject): boolean {
  const name = signatureField(block);
  if (name !== undefined) return isMark(block[name]);
  return isForeignSearch(block) || objectsIn(block.citations).some(isForeignCitation);
}

const isForeignSearch = ({ type, content, tool_use_id: id }: JsonObject): boolean =>
  type === 'web_search_tool_result' &&
  id !== undefined &&
  objectsIn(content).some(({ encrypted_content: signature }) => isMark(signature));

/** Without a signature, it is from an answer of a version without marks. */
const isForeignCitation = ({ encrypted_index: signature }: JsonObject): boolean =>
  signature === '' || isMark(signature);

function unmarked(block: JsonObject): JsonObject[] {
  const name = signatureField(block);
  if (name === undefined) {
    const { citations, ...rest } = block;
    const known = objectsIn(citations).filter((citation) => !isForeignCitation(citation));
    return [known.length > 0 ? { ...rest, citations: known } : rest];
  }
  const { signature, signer } = readSignature(textOf(block[name]), own);
  return signer === own ? [{ ...block, [name]: signature }] : [];
}

/** True if answered tool calls do not begin with reasoning: the vendor would then refuse thinking. */
export function lacksThoughts(messages: readonly JsonObject[]): boolean {
  const last = messages.at(-1);
  const answers = Array.isArray(last?.content) ? last.content : [];
  if (!answers.some((block) => isObject(block) && block.type === 'tool_result')) return false;
  const call = messages.findLast(({ role }) => role === 'assistant');
  const [first] = Array.isArray(call?.content) ? call.content : [];
  return !isObject(first) || (first.type !== 'thinking' && first.type !== 'redacted_thinking');
}
