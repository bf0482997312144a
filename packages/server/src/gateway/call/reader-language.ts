import { namedLanguage } from '../../lib/accept-language.ts';
import type { Language } from '../../relay/types/index.ts';
import type { RelayCall } from './types.ts';

/** What chooses the language of errors besides the caller. */
export interface SiteLanguage {
  /** Option DefaultLanguage; undefined where the site has none. */
  siteLanguage(): Language | undefined;
}

/**
 * The language that errors of a call are written in: what its caller asks for, else the site's own. Undefined where
 * there is neither: each error is then written as clients of this wire know it. Only asked when an error is written.
 */
export const languageOf = (site: SiteLanguage, req: RelayCall['req']): Language | undefined =>
  namedLanguage(req.headers['accept-language']) ?? site.siteLanguage();
