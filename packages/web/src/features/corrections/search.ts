import { numberParam, pageParam } from '../../shared/url-state/params.ts';

/** What of the page lives in its address. */
export const correctionSearch = {
  p: pageParam,
  /** The correction that is open; 0 for none. */
  open: numberParam(0),
};
