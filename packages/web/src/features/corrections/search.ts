import { numberParam, pageParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const correctionSearch = {
  p: pageParam,
  /** The correction that is open; 0 for none. */
  open: numberParam(0),
  /** Models whose past charges are rehearsed at once, with commas; `*` for all. */
  rehearse: textParam(),
};
