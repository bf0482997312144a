import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { field } from './fields.ts';
import { isMarkedSignature, readThoughtSignature } from './signature.ts';

const own = 'gemini';

/**
 * Gemini 3 refuses calls of earlier turns without the signature of their reasoning; Google accepts this placeholder.
 */
const skipValidator = 'skip_thought_signature_validator';
/** True for Gemini 3 and later, which also accepts files in results of tools. */
export const isThirdGeneration = (model: string): boolean => /gemini-([3-9]|\d\d)/.test(model);

/** The placeholder for a missing signature of a call; undefined if the model needs none. */
export const placeholderSignature = (model: string): string | undefined =>
  isThirdGeneration(model) ? skipValidator : undefined;

/**
 * Contents without the signatures of other vendors, which callers send back with a mark (conversation/reasoning.ts):
 * Google would refuse them. Its own signatures lose the mark. Undefined if there is none: then the bytes pass.
 */
export function withOwnSignatures(contents: Json | undefined, model: string): JsonObject[] | undefined {
  const list = objectsIn(contents);
  if (!list.some(({ parts }) => objectsIn(parts).some(isMarked))) return undefined;
  return list.map((content) => ({
    ...content,
    parts: objectsIn(content.parts).flatMap((part) =>
      isMarked(part) ? withOwnSignature(part, model) : [part],
    ),
  }));
}

const signatureOf = (part: JsonObject): string => textOf(field(part, 'thoughtSignature'));
const isMarked = (part: JsonObject): boolean => isMarkedSignature(signatureOf(part));

function withOwnSignature(part: JsonObject, model: string): JsonObject[] {
  const { signature, signer } = readThoughtSignature(signatureOf(part));
  const { thoughtSignature: _camel, thought_signature: _snake, ...rest } = part;
  if (signer === own) return [{ ...rest, thoughtSignature: signature }];
  // Google ignores reasoning without a signature. An empty text existed only for the signature.
  if (rest.thought === true || rest.text === '') return [];
  const standIn = isObject(field(rest, 'functionCall')) ? placeholderSignature(model) : undefined;
  return [standIn === undefined ? rest : { ...rest, thoughtSignature: standIn }];
}
