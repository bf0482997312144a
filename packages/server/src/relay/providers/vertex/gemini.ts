import { isObject, type Json, type JsonObject, objectsIn } from '../../../lib/json.ts';
import type { Endpoint } from '../../types/index.ts';
import { adaptGemini, isTranslated } from '../../protocols/gemini/index.ts';
import { googleUrl } from './address.ts';

/** Fields of a token count. */
const counted = ['contents', 'systemInstruction', 'tools', 'generationConfig'];

/** Gemini on Vertex AI. */
export const gemini: Endpoint = {
  protocol: 'gemini',
  url: (channel, { model, stream }) =>
    googleUrl(channel, model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  adapt(body, context) {
    const isForeign = isTranslated(body);
    const adapted = adaptGemini(body, context);
    const contents = isForeign ? withoutIds(body.contents) : placed(body.contents);
    if (contents) body.contents = contents;
    return adapted;
  },
  countTokens: {
    url: (channel, { model }) => googleUrl(channel, model, 'countTokens'),
    write: (body) => Object.fromEntries(Object.entries(body).filter(([name]) => counted.includes(name))),
    read: ({ totalTokens }) => (typeof totalTokens === 'number' ? totalTokens : undefined),
  },
};

/**
 * AI Studio accepts user contents without a role and gives ids to calls, Vertex AI refuses both: a conversation may have
 * begun at another channel. Undefined if nothing changes.
 */
function placed(contents: Json | undefined): JsonObject[] | undefined {
  const list = objectsIn(contents);
  if (list.every((content) => typeof content.role === 'string' && !hasId(content))) return undefined;
  return withoutIds(list).map((content) =>
    typeof content.role === 'string' ? content : { ...content, role: 'user' },
  );
}

const hasId = ({ parts }: JsonObject): boolean =>
  objectsIn(parts).some((part) =>
    [part.functionCall, part.functionResponse].some((call) => isObject(call) && call.id !== undefined),
  );

/**
 * Removes the ids of calls and results. Some versions of Vertex AI match them by name and order, and refuse an id.
 */
function withoutIds(contents: Json | undefined): JsonObject[] {
  return objectsIn(contents).map((content) => ({
    ...content,
    parts: objectsIn(content.parts).map((part) => ({
      ...part,
      ...withoutId(part, 'functionCall'),
      ...withoutId(part, 'functionResponse'),
    })),
  }));
}

function withoutId(part: JsonObject, name: string): JsonObject {
  const value = part[name];
  if (!isObject(value)) return {};
  const { id: _, ...rest } = value;
  return { [name]: rest };
}
