import { isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { field } from './fields.ts';
import { isMarkedProof, readProof } from './signature.ts';

const own = 'gemini';

/** Gemini 3 refuses calls of earlier turns without the proof of its thoughts; this word of Google's stands for one. */
const noProof = 'skip_thought_signature_validator';
const wantsProof = /gemini-([3-9]|\d\d)/;

/** What stands for the proof of a call whose own is missing; undefined where the model needs none. */
export const standInProof = (model: string): string | undefined =>
  wantsProof.test(model) ? noProof : undefined;

/**
 * Contents without the proofs of other vendors, which their callers carry under a mark (conversation/signature.ts): Google
 * would refuse them. Its own ones lose the mark. Undefined where there is none: then the bytes pass.
 */
export function withOwnProofs(contents: Json | undefined, model: string): JsonObject[] | undefined {
  const list = objectsIn(contents);
  if (!list.some(({ parts }) => objectsIn(parts).some(isMarked))) return undefined;
  return list.map((content) => ({
    ...content,
    parts: objectsIn(content.parts).flatMap((part) => (isMarked(part) ? withOwnProof(part, model) : [part])),
  }));
}

const proofOf = (part: JsonObject): string => textOf(field(part, 'thoughtSignature'));
const isMarked = (part: JsonObject): boolean => isMarkedProof(proofOf(part));

function withOwnProof(part: JsonObject, model: string): JsonObject[] {
  const { signature, signer } = readProof(proofOf(part));
  const { thoughtSignature: _camel, thought_signature: _snake, ...rest } = part;
  if (signer === own) return [{ ...rest, thoughtSignature: signature }];
  // Thoughts that nobody proves are no thoughts to Google, and an empty text was only there to bear the proof.
  if (rest.thought === true || rest.text === '') return [];
  const standIn = isObject(field(rest, 'functionCall')) ? standInProof(model) : undefined;
  return [standIn === undefined ? rest : { ...rest, thoughtSignature: standIn }];
}
