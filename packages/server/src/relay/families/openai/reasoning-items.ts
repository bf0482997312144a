import { isObject, type Json, textOf, type JsonObject, objectsIn } from '../../../lib/json.ts';
import { readSignature } from '../../conversation/index.ts';

/**
 * The input of a response without other vendors' reasoning, which callers send under a mark (conversation/reasoning.ts)
 * or refer to: the vendor would refuse it. Its own reasoning loses the mark. Undefined if there is none.
 */
export function withOwnReasoning(input: Json | undefined): Json[] | undefined {
  if (!Array.isArray(input) || !input.some((item) => isMarked(item) || isNamedHere(item))) return undefined;
  return input.flatMap((item) => {
    if (isNamedHere(item)) return [];
    if (!isObject(item) || !isMarked(item)) return [item];
    const { signature, signer } = readSignature(textOf(item.encrypted_content), 'openai-responses');
    return signer === 'openai-responses' ? [{ ...item, encrypted_content: signature }] : [];
  });
}

const isMarked = (item: Json): boolean =>
  isObject(item) && item.type === 'reasoning' && textOf(item.encrypted_content).startsWith('~');

export const isReference = (item: Json): boolean => isObject(item) && item.type === 'item_reference';

/** A reference to another vendor's reasoning, by the name from this gateway. */
const namedHere = /^rs_\d{17}[\dA-Za-z]{8}_\d+$/;
const isNamedHere = (item: Json): boolean => isReference(item) && namedHere.test(idOf(item));

const idOf = (item: Json): string => (isObject(item) ? textOf(item.id) : '');

/**
 * The items for a vendor that stores no earlier responses: without references to reasoning, and to items that are in
 * the request. The AI SDK refers to everything that it assumes to be stored.
 */
export function withoutReferences(items: readonly Json[]): Json[] {
  if (!items.some(isReference)) return [...items];
  const ids = new Set(items.filter((item) => !isReference(item)).map(idOf));
  return items.filter((item) => !isReference(item) || !(idOf(item).startsWith('rs_') || ids.has(idOf(item))));
}

/** A text of a translated answer, by the name from this gateway. */
const textNamedHere = /^msg_\d{17}[\dA-Za-z]{8}_\d+$/;

/** Ids of texts of translated answers that an input refers to. */
export const referredTexts = (input: Json | undefined): string[] =>
  Array.isArray(input)
    ? input.filter((item) => isReference(item) && textNamedHere.test(idOf(item))).map(idOf)
    : [];

/** The input with known texts instead of references to them. */
export const withReferredTexts = (input: Json | undefined, texts: ReadonlyMap<string, string>): Json[] =>
  (Array.isArray(input) ? input : []).map((item) => {
    const text = isReference(item) ? texts.get(idOf(item)) : undefined;
    return text === undefined ? item : { role: 'assistant', content: text };
  });

/**
 * Removes other vendors' reasoning from `reasoning_details` of a chat's messages, by its mark (conversation/reasoning.ts).
 * Undefined if there is none: then the bytes pass.
 */
export function withOwnDetails(messages: Json | undefined): JsonObject[] | undefined {
  const list = objectsIn(messages);
  if (!list.some(({ reasoning_details: details }) => objectsIn(details).some(isMarkedDetail)))
    return undefined;
  return list.map((message) => {
    const { reasoning_details: details, ...rest } = message;
    if (!objectsIn(details).some(isMarkedDetail)) return message;
    const kept = objectsIn(details).flatMap((detail) =>
      isMarkedDetail(detail) ? unmarked(detail) : [detail],
    );
    return kept.length > 0 ? { ...rest, reasoning_details: kept } : rest;
  });
}

const signatureField = ({ type }: JsonObject): 'data' | 'signature' =>
  type === 'reasoning.encrypted' ? 'data' : 'signature';

const isMarkedDetail = (detail: JsonObject): boolean =>
  textOf(detail[signatureField(detail)]).startsWith('~');

function unmarked(detail: JsonObject): JsonObject[] {
  const name = signatureField(detail);
  const { signature, signer } = readSignature(textOf(detail[name]), 'openai-chat');
  return signer === 'openai-chat' ? [{ ...detail, [name]: signature }] : [];
}
