import { numberParam, pageParam } from '../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const correctionSearch = {
  p: pageParam,
  /** The correction that is open; 0 for none. */
  open: numberParam(0),
};
