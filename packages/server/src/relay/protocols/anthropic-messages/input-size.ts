import { isObject, type Json, objectOf, textOf } from '../../../lib/json.ts';
import { addImage, inlineImage, type MediaSize, noMedia } from '../../families/openai/index.ts';

/** Tokens assumed for an image and for a page-less document; for holds, so on the high side. */
const tokens = { image: 1_600, document: 5_000 };

/** The base64 in a conversation, and the tokens its images and documents are taken for, tool results included. */
export function mediaSize(messages: readonly Json[], model: string): MediaSize {
  const size = noMedia();
  for (const message of messages) if (isObject(message)) addContent(size, message.content, model);
  return size;
}

function addContent(size: MediaSize, content: Json | undefined, model: string): void {
  if (!Array.isArray(content)) return;
  for (const block of content) {
    if (!isObject(block)) continue;
    // A tool result holds blocks of its own, but no further results.
    if (block.type === 'tool_result' && Array.isArray(block.content)) addContent(size, block.content, model);
    const source = objectOf(block.source);
    const data = source.type === 'base64' ? textOf(source.data) : '';
    if (block.type === 'image') {
      addImage(size, inlineImage(data), model, tokens.image);
    } else if (block.type === 'document') size.tokens += tokens.document;
    else continue;
    size.binaryLength += data.length;
  }
}
