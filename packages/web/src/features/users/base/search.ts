import { pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the page. */
export const userSearch = {
  p: pageParam,
  keyword: textParam(),
  group: textParam(),
  sort: textParam(),
  /** The user whose form is open: an id, or `new`. */
  edit: textParam(),
};
