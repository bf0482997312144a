import { pageParam, textParam } from '../../shared/url-state/params.ts';

/** What of the page lives in the address. `edit` is an id or `new`. */
export const redemptionSearch = { p: pageParam, keyword: textParam(), sort: textParam(), edit: textParam() };
