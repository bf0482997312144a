import { textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the list. */
export const listSearch = {
  /** `new` while the form of a new one is open. */
  edit: textParam(),
};
