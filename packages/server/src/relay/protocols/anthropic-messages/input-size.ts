import { isObject, type Json } from '../../model/json.ts';
import type { MediaSize } from '../../model/openai/input-size.ts';

/** Tokens assumed for an image and for a page-less document; for holds, so on the high side. */
const tokens = { image: 1_600, document: 5_000 };

/** The base64 in a conversation, and the tokens its images and documents are taken for, tool results included. */
export function mediaSize(messages: readonly Json[]): MediaSize {
  const size: MediaSize = { binaryLength: 0, tokens: 0 };
  for (const message of messages) if (isObject(message)) addContent(size, message.content);
  return size;
}

function addContent(size: MediaSize, content: Json | undefined): void {
  if (!Array.isArray(content)) return;
  for (const block of content) {
    if (!isObject(block)) continue;
    // A tool result holds blocks of its own, but no further results.
    if (block.type === 'tool_result' && Array.isArray(block.content)) addContent(size, block.content);
    if (block.type === 'image') size.tokens += tokens.image;
    else if (block.type === 'document') size.tokens += tokens.document;
    else continue;
    const { source } = block;
    if (isObject(source) && source.type === 'base64' && typeof source.data === 'string') {
      size.binaryLength += source.data.length;
    }
  }
}
