import type { Say } from '../../../lib/i18n.ts';
import { problemText as text } from '../base/text.ts';
import type { Answer, Problem } from '../base/types.ts';

/** A failure explained: what it means, and the page that helps. */
export interface Explanation {
  words: string;
  /** The balance does not suffice. */
  topUp: boolean;
}

/** What the gateway's codes mean to a person; the gateway's own words are shown beneath as the details. */
export function explain(
  { model, group }: Pick<Answer, 'model' | 'group'>,
  problem: Problem,
  say: Say,
): Explanation {
  const plain = (words: string): Explanation => ({ words, topUp: false });
  switch (problem.code) {
    case 'insufficient_user_quota':
      return { words: say(text.quota), topUp: true };
    case 'no_available_channel':
    case 'channel_disabled':
      return plain(say(text.noChannel, { group, model }));
    case 'group_not_allowed':
      return plain(say(text.groupDenied, { group }));
    case 'sensitive_words_detected':
      return plain(say(text.sensitive));
    case 'model_price_error':
      return plain(say(text.noPrice, { model }));
    case 'upstream_broken':
      return plain(say(text.broken));
    default:
      return plain(byStatus(problem.status, say));
  }
}

function byStatus(status: number, say: Say): string {
  if (status === 0) return say(text.offline);
  if (status === 401) return say(text.expired);
  if (status === 413) return say(text.tooLarge);
  if (status === 429) return say(text.busy);
  return say(status === 200 || status >= 500 ? text.upstream : text.other);
}
