import { textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the reference. */
export const referenceSearch = {
  q: textParam(),
  /** A part of it; '' for all. */
  part: textParam(),
  /** The call that is unfolded. */
  call: textParam(),
};
