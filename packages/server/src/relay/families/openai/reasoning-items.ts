import { isObject, type Json, textOf } from '../../../lib/json.ts';
import { readSignature } from '../../conversation/index.ts';

const own = 'openai-responses';

/**
 * The input of a response without the thoughts of other vendors, which their callers carry under a mark
 * (conversation/signature.ts): the vendor would refuse them. Its own ones lose the mark. Undefined where there is none.
 */
export function withOwnReasoning(input: Json | undefined): Json[] | undefined {
  if (!Array.isArray(input) || !input.some(isMarked)) return undefined;
  return input.flatMap((item) => {
    if (!isObject(item) || !isMarked(item)) return [item];
    const { signature, signer } = readSignature(textOf(item.encrypted_content), own);
    return signer === own ? [{ ...item, encrypted_content: signature }] : [];
  });
}

const isMarked = (item: Json): boolean =>
  isObject(item) && item.type === 'reasoning' && textOf(item.encrypted_content).startsWith('~');
