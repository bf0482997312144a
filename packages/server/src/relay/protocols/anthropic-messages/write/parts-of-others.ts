import type { ChatEvent, Source } from '../../../types/index.ts';
import type { JsonObject } from '../../../../lib/json.ts';

/**
 * Replaces Anthropic's own signature of a search result (`encrypted_content`, `encrypted_index`). Recognized by its
 * mark in later requests, and removed before they are sent to Anthropic (own-signatures.ts).
 */
export const foreignMark = '~foreign~';

/** An unchanged citation, or another vendor's as the place of a search result. */
export function writeCitation(event: Extract<ChatEvent, { type: 'annotation' }>): JsonObject {
  if (event.extra?.protocol === 'anthropic-messages') return event.extra.fields;
  const { url = '', title = null, citedText = '' } = event.citation;
  return {
    type: 'web_search_result_location',
    url,
    title,
    cited_text: citedText,
    encrypted_index: foreignMark,
  };
}

/** A picture that a model made, as text that clients show as a picture: Messages has no other place for it. */
export function imageText(source: Source): string {
  if (source.kind === 'url') return `![image](${source.url})`;
  if (source.kind === 'id' || !source.mediaType.startsWith('image/')) return '';
  return `![image](data:${source.mediaType};base64,${source.base64})`;
}
