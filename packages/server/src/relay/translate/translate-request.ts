import type { ChatCodec, CallerProtocol, RequestContext, UpstreamCodec } from '../types/index.ts';
import { withExactIntegers, withExactNumbers } from '../../lib/exact-numbers.ts';
import type { JsonObject } from '../../lib/json.ts';
import { inOrder } from '../conversation/index.ts';
import { type FunctionNames, withTakenNames } from './function-names.ts';

/** Translates a request to another protocol. Throws RelayError (400) for content without an equivalent. */
export function translateRequest(
  readRequest: NonNullable<ChatCodec['readRequest']>,
  { writeRequest, functionName }: WritingCodec,
  body: JsonObject,
  context: RequestContext,
): { body: JsonObject; names: FunctionNames | undefined } {
  const read = readRequest(body);
  const { request, names } = withTakenNames({ ...read, messages: inOrder(read.messages) }, functionName);
  return { body: writeRequest(request, context), names };
}

/** A protocol for written requests. */
export type WritingCodec = Pick<UpstreamCodec, 'functionName'> &
  Required<Pick<UpstreamCodec, 'writeRequest'>>;

/** The caller's body for rewriting: numbers in a tool's arguments, and large ones in schemas, keep their text. */
export const exactBody = (
  { codec }: CallerProtocol,
  { json, raw }: { json: JsonObject; raw: Buffer },
): JsonObject => {
  const { toolObjects = [], schemas = [] } = codec ?? {};
  return withExactIntegers(withExactNumbers(json, raw, toolObjects), raw, schemas);
};
