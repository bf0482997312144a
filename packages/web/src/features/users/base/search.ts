import { pageParam, textParam } from '../../../shared/url-state/params.ts';

/** What of the page lives in the address. */
export const userSearch = {
  p: pageParam,
  keyword: textParam(),
  group: textParam(),
  sort: textParam(),
  /** The user whose form is open: an id, or `new`. */
  edit: textParam(),
};
