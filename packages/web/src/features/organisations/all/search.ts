import { pageParam, textParam } from '../../../shared/url-state/params.ts';

/** URL parameters of the list. */
export const allSearch = {
  p: pageParam,
  keyword: textParam(),
  /** The organisation in the form. */
  edit: textParam(),
};
