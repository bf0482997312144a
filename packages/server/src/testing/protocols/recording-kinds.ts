import { isObject, type JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

/** End of a recorded stream: complete, with an error of the vendor, or cut before its end. */
export type RecordedEnd = 'complete' | 'failure' | 'cut';

/** Protocol and end of a recording, or the reason for its exclusion from relay tests. */
export type RecordingKind = { protocol: ProtocolId; end: RecordedEnd } | { leftOut: string };

/** Protocols by their names in the recordings. */
const protocols: Readonly<Record<string, ProtocolId>> = {
  'openai-chat': 'openai-chat',
  'openai-completions': 'openai-completions',
  'openai-responses': 'openai-responses',
  'anthropic-messages': 'anthropic-messages',
  'gemini-generate-content': 'gemini',
  'bedrock-converse-stream': 'bedrock-converse',
  chat: 'cohere-chat',
};

/** A vendor's recording: address of the request, and the answer. */
interface Recorded {
  protocol: string;
  url: string;
  status: number;
  body: Buffer;
}

/** Classifies a recording by its content and never by its file name, so that other sets of recordings follow the same rules. */
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

/** Protocol by the content of the answer, for vendors with an address that does not identify it. */
function byContent(text: string): ProtocolId | undefined {
  if (/"object": ?"chat\.completion\.chunk"/.test(text)) return 'openai-chat';
  return undefined;
}

/** Text in a complete stream. */
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

/** Objects in the events of a text stream. */
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
