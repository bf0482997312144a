import { pageParam, textParam } from '../../shared/url-state/params.ts';

/** URL parameters of the page. `edit` is an id or `new`. */
export const redemptionSearch = { p: pageParam, keyword: textParam(), sort: textParam(), edit: textParam() };
