import type { Translate } from '../../../lib/i18n.ts';
import { problemText as text } from '../base/text.ts';
import type { Answer, Problem } from '../base/types.ts';

/** The explanation of a failure, with a link to a page that helps. */
export interface Explanation {
  words: string;
  /** Insufficient balance. */
  topUp: boolean;
  /** Refused for lack of a price, which root can set. */
  setPrice: boolean;
}

/** The meaning of the gateway's error codes; its own message is shown below as the details. */
export function explain(
  { model, group }: Pick<Answer, 'model' | 'group'>,
  problem: Problem,
  t: Translate,
  isRoot = false,
): Explanation {
  const plain = (words: string): Explanation => ({ words, topUp: false, setPrice: false });
  switch (problem.code) {
    case 'insufficient_user_quota':
    case 'insufficient_quota':
      return { ...plain(t(text.quota)), topUp: true };
    case 'no_available_channel':
    case 'model_not_found':
    case 'channel_disabled':
      return plain(t(text.noChannel, { group, model }));
    case 'group_not_allowed':
      return plain(t(text.groupDenied, { group }));
    case 'sensitive_words_detected':
      return plain(t(text.sensitive));
    case 'model_price_error':
      return isRoot
        ? { ...plain(t(text.noPriceYet, { model })), setPrice: true }
        : plain(t(text.noPrice, { model }));
    case 'upstream_broken':
      return plain(t(text.broken));
    default:
      return plain(byStatus(problem.status, t));
  }
}

function byStatus(status: number, t: Translate): string {
  if (status === 0) return t(text.offline);
  if (status === 401) return t(text.expired);
  if (status === 413) return t(text.tooLarge);
  if (status === 429) return t(text.busy);
  return t(status === 200 || status >= 500 ? text.upstream : text.other);
}
