import { type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { readSignature } from '../../conversation/index.ts';

const own = 'openai-chat';

/**
 * Removes other vendors' reasoning from `reasoning_details` of a chat's messages, by its mark (conversation/signature.ts).
 * Undefined if there is none: then the bytes pass.
 */
export function withOwnDetails(messages: Json | undefined): JsonObject[] | undefined {
  const list = objectsIn(messages);
  if (!list.some(({ reasoning_details: details }) => objectsIn(details).some(isMarked))) return undefined;
  return list.map((message) => {
    const { reasoning_details: details, ...rest } = message;
    if (!objectsIn(details).some(isMarked)) return message;
    const kept = objectsIn(details).flatMap((detail) => (isMarked(detail) ? unmarked(detail) : [detail]));
    return kept.length > 0 ? { ...rest, reasoning_details: kept } : rest;
  });
}

const signatureField = ({ type }: JsonObject): 'data' | 'signature' =>
  type === 'reasoning.encrypted' ? 'data' : 'signature';

const isMarked = (detail: JsonObject): boolean => textOf(detail[signatureField(detail)]).startsWith('~');

function unmarked(detail: JsonObject): JsonObject[] {
  const name = signatureField(detail);
  const { signature, signer } = readSignature(textOf(detail[name]), own);
  return signer === own ? [{ ...detail, [name]: signature }] : [];
}
