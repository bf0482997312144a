import { untranslatable } from '@tollgate/contract/relay-errors';
import { cannotTranslate } from '../../conversation/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';
import { adaptMessages } from './messages.ts';

/**
 * What Perplexity reads: the fields of docs/compatibility.md#channel-types, and its own for the search and the form
 * of the answer.
 */
const known = new Set(
  `model messages stream temperature top_p max_tokens top_k presence_penalty frequency_penalty response_format
  reasoning_effort web_search_options search_mode search_domain_filter search_language_filter search_recency_filter
  search_after_date_filter search_before_date_filter last_updated_after_filter last_updated_before_filter
  return_images return_related_questions image_domain_filter image_format_filter disable_search
  enable_search_classifier language_preference media_response`.split(/\s+/),
);

/** Fields that ask for nothing there, or for what is done in any case. */
const silent = new Set(
  `max_completion_tokens stream_options tool_choice search_parameters enable_search plugins`.split(' '),
);

/** Perplexity refuses 1. */
const largestTopP = 0.99;

/** Keeps the fields that Perplexity knows; it refuses calls for some of the others. */
export function adaptSearch(body: JsonObject, { drop }: Pick<AdaptContext, 'drop'>): undefined {
  const { tool_choice: choice } = body;
  if (choice === 'required' || (typeof choice === 'object' && choice !== null)) {
    throw cannotTranslate(untranslatable.forced_tool, 'openai-chat');
  }
  if (body.max_completion_tokens !== undefined) body.max_tokens ??= body.max_completion_tokens;
  for (const [key, value] of Object.entries(body)) {
    if (known.has(key)) continue;
    delete body[key];
    if (value !== null && !silent.has(key)) drop(key);
  }
  if (typeof body.top_p === 'number' && body.top_p >= 1) body.top_p = largestTopP;
  adaptMessages(body);
}
