import type { ChatCodec, RequestContext, UpstreamCodec } from '../../relay/types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { callerProtocol } from '../../relay/protocols.ts';
import { translateRequest } from '../../relay/translate/translate-request.ts';

/** Codecs for requests. */
export const chat = callerProtocol('openai-chat')!.codec!;
export const claude = callerProtocol('anthropic-messages')!.codec!;

const context = (model: string, drop: (what: string) => void): RequestContext => ({
  model,
  files: new Map([['https://files.test/a.pdf', { mediaType: 'application/pdf', base64: 'UERG' }]]),
  readsReasoning: true,
  drop,
});

/** A request in another protocol: its body, and the fields that this protocol cannot express. */
export function translated(
  from: ChatCodec,
  to: UpstreamCodec,
  body: JsonObject,
  upstreamModel = 'claude-3-7-sonnet-20250219',
): { body: JsonObject; dropped: string[] } {
  const dropped = new Set<string>();
  const { body: written } = translateRequest(
    from.readRequest!,
    { ...to, writeRequest: to.writeRequest! },
    body,
    context(upstreamModel, (what) => void dropped.add(what)),
  );
  // Serialized as for the network.
  return { body: JSON.parse(JSON.stringify(written)) as JsonObject, dropped: [...dropped].toSorted() };
}
