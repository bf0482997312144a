import { isObject, type JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

/** How a recorded stream ends: well, with an error of the vendor's, or cut before its end. */
export type RecordedEnd = 'complete' | 'failure' | 'cut';

/** What a recording can show, or why it shows nothing of a relay. */
export type RecordingKind = { protocol: ProtocolId; end: RecordedEnd } | { leftOut: string };

/** The protocols as the recordings name them. */
const protocols: Readonly<Record<string, ProtocolId>> = {
  'openai-chat': 'openai-chat',
  'openai-completions': 'openai-completions',
  'openai-responses': 'openai-responses',
  'anthropic-messages': 'anthropic-messages',
  'gemini-generate-content': 'gemini',
  'bedrock-converse-stream': 'bedrock-converse',
  chat: 'cohere-chat',
};

/** Told of a recording by its vendor: where its request went, and what came back. */
interface Recorded {
  protocol: string;
  url: string;
  status: number;
  body: Buffer;
}

/**
 * Judges a recording by what stands in it and never by its name, so that another set of recordings is judged by the same
 * rules.
 */
export function kindOf({ protocol, url, status, body }: Recorded): RecordingKind {
  const text = body.toString('latin1');
  if (status !== 200) return { leftOut: `answered ${status}, which is no stream` };
  const known = protocols[protocol] ?? byContent(text);
  if (known) return { protocol: known, end: endOf(known, text) };
  if (/\/threads\//.test(url)) return { leftOut: "OpenAI's Assistants, which no call of the relay reaches" };
  if (url.endsWith('/mcp'))
    return { leftOut: 'the Model Context Protocol, spoken to tools and not to models' };
  if (protocol === 'bedrock-invoke-stream') {
    if (/"type": ?"message_start"/.test(text)) {
      return { protocol: 'anthropic-messages', end: endOf('anthropic-messages', text) };
    }
    return { leftOut: "InvokeModel in a model's own protocol, which Tollgate asks by Converse" };
  }
  return { leftOut: `nothing is known of ${protocol} at ${url}` };
}

/** Some vendors serve a known protocol at an address that does not tell it. */
function byContent(text: string): ProtocolId | undefined {
  if (/"object": ?"chat\.completion\.chunk"/.test(text)) return 'openai-chat';
  return undefined;
}

/** What stands in a stream that came to its end. */
const endMarks: Partial<Record<ProtocolId, RegExp>> = {
  'openai-chat': /data: ?\[DONE\]|"finish_reason": ?"/,
  'openai-completions': /data: ?\[DONE\]|"finish_reason": ?"/,
  'openai-responses': /"type": ?"response\.(completed|incomplete|failed)"/,
  'anthropic-messages': /"type": ?"message_stop"/,
  gemini: /"finishReason"|"blockReason"/,
  'bedrock-converse': /messageStop/,
  'cohere-chat': /message-end/,
};

function endOf(protocol: ProtocolId, text: string): RecordedEnd {
  if (/^event: ?error\s*$/m.test(text) || /:exception-type/.test(text)) return 'failure';
  if (dataIn(text).some(isFailure)) return 'failure';
  return endMarks[protocol]?.test(text) ? 'complete' : 'cut';
}

const isFailure = ({ error, type }: JsonObject): boolean =>
  (error !== undefined && error !== null) || type === 'error' || type === 'response.failed';

/** The objects in the events of a stream of text. */
function dataIn(text: string): JsonObject[] {
  return text.split(/\r?\n/).flatMap((line) => {
    if (!/^data: ?\{/.test(line)) return [];
    try {
      const data: unknown = JSON.parse(line.replace(/^data: ?/, ''));
      return isObject(data) ? [data] : [];
    } catch {
      return [];
    }
  });
}
