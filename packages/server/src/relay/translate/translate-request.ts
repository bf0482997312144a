import type { ChatCodec, CallerProtocol, RequestContext, UpstreamCodec } from '../types/index.ts';
import { withExactNumbers } from '../../lib/exact-numbers.ts';
import type { JsonObject } from '../../lib/json.ts';
import { inOrder } from '../conversation/index.ts';

/** A request of one protocol in the words of another. Throws RelayError (400) where these do not say what it says. */
export function translateRequest(
  readRequest: NonNullable<ChatCodec['readRequest']>,
  writeRequest: NonNullable<UpstreamCodec['writeRequest']>,
  body: JsonObject,
  context: RequestContext,
): JsonObject {
  const request = readRequest(body);
  return writeRequest({ ...request, messages: inOrder(request.messages) }, context);
}

/** The caller's body for whoever writes it anew: the numbers in a tool's arguments keep their text. */
export const exactBody = (
  { codec }: CallerProtocol,
  { json, raw }: { json: JsonObject; raw: Buffer },
): JsonObject => (codec?.toolObjects ? withExactNumbers(json, raw, codec.toolObjects) : json);
