import { namedLanguage } from '../../lib/accept-language.ts';
import type { Language } from '../../relay/types/index.ts';
import type { RelayCall } from './types.ts';

/** Defaults for the language of errors. */
export interface SiteLanguage {
  /** Option DefaultLanguage; undefined if the site has none. */
  siteLanguage(): Language | undefined;
}

/**
 * The language of a call's errors: the language of the request, otherwise the site's default. Undefined if there is
 * neither: each error then has the text that existing clients expect. Only computed when an error is written.
 */
export const languageOf = (site: SiteLanguage, req: RelayCall['req']): Language | undefined =>
  namedLanguage(req.headers['accept-language']) ?? site.siteLanguage();
