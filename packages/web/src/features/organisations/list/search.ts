import { textParam } from '../../../shared/url-state/params.ts';

/** What of the list lives in the address. */
export const listSearch = {
  /** `new` while the form of a new one is open. */
  edit: textParam(),
};
