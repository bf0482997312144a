import { textParam } from '../../shared/url-state/params.ts';

/** What of the reference lives in the address. */
export const referenceSearch = {
  q: textParam(),
  /** A part of it; '' for all. */
  part: textParam(),
  /** The call that is unfolded. */
  call: textParam(),
};
