import type { ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';

/**
 * A picture or sound of the model, as fields of a message. Pictures of other vendors become Markdown, which clients of
 * the original display (docs/compatibility.md#conversions).
 */
export function writeFile({ source, transcript, extra }: Extract<ChatEvent, { type: 'file' }>): JsonObject {
  if (extra?.protocol === 'openai-chat') return extra.fields;
  if (source.kind === 'url') return { content: `![image](${source.url})` };
  if (source.kind === 'id') return {};
  const { mediaType, base64 } = source;
  if (mediaType.startsWith('audio')) {
    return { audio: { data: base64, ...(transcript !== undefined && { transcript }) } };
  }
  return mediaType.startsWith('image/') ? { content: `![image](data:${mediaType};base64,${base64})` } : {};
}
