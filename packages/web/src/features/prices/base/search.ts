import { choiceParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** What of the page lives in the address. */
export const pricesSearch = {
  tab: choiceParam(['prices', 'sync']),
  p: pageParam,
  q: textParam(),
  show: choiceParam(['all', 'served', 'unpriced']),
};
