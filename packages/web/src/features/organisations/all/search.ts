import { pageParam, textParam } from '../../../shared/url-state/params.ts';

/** What of the list lives in the address. */
export const allSearch = {
  p: pageParam,
  keyword: textParam(),
  /** The organisation whose form is open. */
  edit: textParam(),
};
