import { choiceParam, pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const pricesSearch = {
  p: pageParam,
  q: textParam(),
  /** A comma list of models, offered or not: only these are listed. */
  names: textParam(),
  show: choiceParam(['all', 'served', 'unpriced']),
};
