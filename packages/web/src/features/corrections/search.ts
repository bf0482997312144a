import { numberParam, pageParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const correctionSearch = {
  p: pageParam,
  /** Id of the open correction; 0 for none. */
  open: numberParam(0),
  /** Models for a rehearsal that starts at once, separated by commas; `*` for all. */
  rehearse: textParam(),
};
